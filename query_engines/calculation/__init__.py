"""Figures that are calculated from printed ones: formulas, ratios and relations that a question asks for, and parts."""
