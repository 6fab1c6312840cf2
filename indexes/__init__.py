"""From a PDF to a searchable company."""
