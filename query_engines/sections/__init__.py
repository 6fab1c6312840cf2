"""Answers from a report's sections, and the names of those who hold an office, without a language model."""
