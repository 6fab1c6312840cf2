"""The chat: a thin adapter from the desk's events to Chainlit. The only package that imports Chainlit."""
