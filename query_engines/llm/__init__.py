"""Access to language models: client, rate limits, errors, structured output, usage."""
