"""From a question to a checked answer."""
