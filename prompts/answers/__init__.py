"""What a model is told when it answers a question."""
