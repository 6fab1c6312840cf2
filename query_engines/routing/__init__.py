"""From a question to the engine that answers it, and from a short one in a conversation to a whole question."""
