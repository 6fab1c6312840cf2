"""Answers and pages scored against what is known, and the question sets to ask."""
