"""Pages of real reports as their words' places, with the tables that a reader sees on them."""
