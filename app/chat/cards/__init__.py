"""What the chat shows for an answer, for lists, and while an answer is being made."""
