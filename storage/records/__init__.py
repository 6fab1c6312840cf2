"""What is known, as frozen records: reports, pages, facts, questions, answers."""
