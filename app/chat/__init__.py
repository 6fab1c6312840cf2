"""The chat: a thin adapter from the client's events to Chainlit. The only package that imports Chainlit."""
