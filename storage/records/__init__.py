"""Frozen records: reports, pages, facts, questions, answers."""
