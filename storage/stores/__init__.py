"""Databases, files and caches in which everything is stored."""
