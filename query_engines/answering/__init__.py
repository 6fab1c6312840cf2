"""Answers a question about one company, with checks."""
