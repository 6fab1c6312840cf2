"""From a question about one company to its checked answer."""
