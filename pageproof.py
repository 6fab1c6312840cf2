"""Pageproof to a program: open a client, ask it, change its library."""

from app import open_pageproof
from indexes.ingestion.requests import Ingested, IngestRequest
from storage.records.answers import Answer
from storage.records.questions import Question

__all__ = ["Answer", "IngestRequest", "Ingested", "Question", "open_pageproof"]
