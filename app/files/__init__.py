"""Questions in, answers out: JSON, CSV and Excel."""
