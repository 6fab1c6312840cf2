"""The lab: one set of questions through several variants of the settings, side by side."""
