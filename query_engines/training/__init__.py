"""Training of what understands questions; nothing of it runs when a question is asked."""
