"""Serves a library to programs: a REST API, MCP, and an endpoint in OpenAI's form."""
