"""Answers without a language model: from facts, table rows and sentences."""
