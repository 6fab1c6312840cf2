"""What turns a question and its pages into a draft: a language model, or rules alone."""
