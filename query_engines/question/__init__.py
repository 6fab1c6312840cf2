"""The parsed question: kind, companies, years, currency, intent, and the facts that answer it."""
