"""Questions about several companies or several years: one question for each, and code that decides."""
