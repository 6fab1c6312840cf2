"""Conversations in SQLite or Postgres: Chainlit's data layer, the writer behind it, the tables."""
