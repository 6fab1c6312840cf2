"""Turns a question into a checked answer."""
