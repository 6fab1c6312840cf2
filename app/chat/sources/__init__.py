"""The library beside the conversation: what is there, which reports the questions are about, and who answers."""
