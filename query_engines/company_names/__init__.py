"""Finds the companies that a text names: exactly, by alias, by prefix, with a typo."""
