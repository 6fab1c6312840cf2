"""What is answered today, kept as data, so that a change of the way to an answer shows each answer that it changes."""
