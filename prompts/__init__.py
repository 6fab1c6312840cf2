"""The prompts for language models, and the forms that a model must fill in."""
