"""What is remembered of an answer: the run log and the answer cache."""
