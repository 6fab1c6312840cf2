"""From found pages to a checked answer."""
