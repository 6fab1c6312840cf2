"""The application: settings, assembly, command line, chat."""

from pageproof import open_pageproof

__all__ = ["open_pageproof"]
