"""Checks of an answer against its page."""
