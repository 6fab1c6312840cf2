"""Scoring every page of a report against a question, without a model."""
