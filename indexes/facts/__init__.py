"""Facts read from page records by rules: statements, rows, sentences, and checks between them."""
