"""What a page's tables mean: units, periods, sections, headers and footers."""
