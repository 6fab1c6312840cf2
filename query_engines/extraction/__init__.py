"""Answers without a language model: from facts, from rows, from sentences."""
