"""Scores answers and pages against known answers, and makes question sets."""
