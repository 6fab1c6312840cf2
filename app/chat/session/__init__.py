"""Who is in the chat and what they have open: sign-in, the pool of clients, settings, the conversation."""
