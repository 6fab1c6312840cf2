"""Who holds a function for a company: its officers, committees and advisers, as its report names them."""
