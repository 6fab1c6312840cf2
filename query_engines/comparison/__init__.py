"""Comparisons of several companies or years: one sub-question for each, and code that computes the result."""
