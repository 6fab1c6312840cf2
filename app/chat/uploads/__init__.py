"""Reports that people add in the chat: checked at the door, read, shown, corrected."""
