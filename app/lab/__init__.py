"""The lab compares several variants of the settings with one set of questions."""
