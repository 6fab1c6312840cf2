"""Reads questions and writes answers: JSON, CSV and Excel."""
