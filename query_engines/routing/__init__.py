"""Finds the engine that answers a question, and completes short questions in a conversation."""
