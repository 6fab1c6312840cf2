"""The identity of a report: company, period, currency, each with its evidence."""
