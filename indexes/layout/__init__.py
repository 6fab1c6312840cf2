"""The geometric layout: words, lines, columns, tables from positions alone."""
