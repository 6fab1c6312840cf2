"""The map of a report's sections."""
