"""A question, parsed once: its kind, companies, years, currency, what it asks for, and the facts that say it."""
