"""Answers from a report's sections, without a language model."""
