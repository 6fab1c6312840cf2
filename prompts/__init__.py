"""What a model is told and must fill in."""
