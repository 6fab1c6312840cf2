"""The geometric layout: lines, columns, blocks and tables, found from the positions of words alone."""
