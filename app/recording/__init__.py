"""Records answers: the run log and the answer cache."""
