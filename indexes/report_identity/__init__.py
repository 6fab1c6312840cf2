"""Whose report it is: company, period, currency, each with its evidence."""
