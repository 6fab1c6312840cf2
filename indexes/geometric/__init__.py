"""Reading a page's layout and tables from word positions, fonts and gaps alone."""
