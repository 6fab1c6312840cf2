"""Options of the chat and of the REST API. This module does not import Chainlit."""

from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

_POSTGRES = "postgresql+asyncpg"


class ChatOptions(BaseModel):
    """The chat."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    history: bool = Field(default=True, description="Store conversations, so that people can come back to them.")
    history_url: str | None = Field(
        default=None,
        description="A Postgres database for conversations instead of a file: "
        "postgresql+asyncpg://NAME@HOST/DATABASE. "
        "Its password comes from PGPASSWORD.",
    )
    people: str | None = Field(
        default=None,
        description="File with the people who may sign in. `pageproof people --add NAME` makes its lines.",
    )
    origins: tuple[str, ...] = Field(
        default=(),
        description="Addresses under which browsers may open the chat besides this machine's own, such as "
        "https://chat.example.com.",
    )
    uploads: bool = Field(default=True, description="Whether the chat takes PDFs.")
    upload_megabytes: int = Field(default=100, ge=1, description="Largest PDF that the chat takes, in megabytes.")
    upload_pages: int = Field(default=1000, ge=1, description="Most pages of a PDF that the chat takes.")
    uploads_per_hour: int = Field(default=60, ge=1, description="PDFs that one person may send in an hour.")
    uploads_at_once: int = Field(
        default=1,
        ge=1,
        description="PDFs that are read at the same time, each for another library. One needs up to 2.5 GB of "
        "memory.",
    )

    connect_model: Literal["local", "everybody", "nobody"] = Field(
        default="local",
        description="Who may connect a model in the chat with a key of their own. local: whoever uses the chat where "
        "nobody signs in. everybody: also people who sign in, to the known providers and to chat.model_addresses. "
        "nobody: the profiles alone decide.",
    )
    model_addresses: tuple[str, ...] = Field(
        default=(),
        description="Addresses of models that people who sign in may connect besides the known providers, such as "
        "http://models.example.com/v1.",
    )

    @field_validator("history_url")
    @classmethod
    def _is_postgres_without_password(cls, url: str | None) -> str | None:
        parts = urlsplit(url or f"{_POSTGRES}://host/name")
        if parts.scheme != _POSTGRES or not parts.path.strip("/"):
            raise ValueError(f"expected {_POSTGRES}://NAME@HOST/DATABASE")
        if parts.password is not None or "password=" in parts.query:
            raise ValueError("leave the password out of the address and put it into PGPASSWORD")
        return url

    @field_validator("origins", "model_addresses", mode="before")
    @classmethod
    def _in_one_text(cls, value: Any) -> Any:
        return _separated(value)

    @field_validator("origins")
    @classmethod
    def _are_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        return _checked_origins(origins)


class ServeOptions(BaseModel):
    """The REST API and MCP over HTTP."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    origins: tuple[str, ...] = Field(
        default=(),
        description="Addresses under which programs reach the API besides this machine's own, such as "
        "https://reports.example.com.",
    )
    cors_origins: tuple[str, ...] = Field(
        default=(), description="Other sites whose pages may call the API from a browser; none by default."
    )
    requests_per_minute: int = Field(
        default=600, ge=1, description="Requests that one token, or one address without a token, may send."
    )
    conversations: int = Field(
        default=1000, ge=1, description="Conversations that are remembered at once, those used last."
    )

    @field_validator("origins", "cors_origins", mode="before")
    @classmethod
    def _in_one_text(cls, value: Any) -> Any:
        return _separated(value)

    @field_validator("origins", "cors_origins")
    @classmethod
    def _are_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        return _checked_origins(origins)


def _separated(value: Any) -> Any:
    """Accept several values in one text, separated by commas, from command line and environment."""
    return tuple(filter(None, (part.strip() for part in value.split(",")))) if isinstance(value, str) else value


def _checked_origins(origins: tuple[str, ...]) -> tuple[str, ...]:
    for origin in origins:
        parts = urlsplit(origin)
        whole = f"{parts.scheme}://{parts.netloc}"
        if parts.scheme not in ("http", "https") or not parts.hostname or whole != origin:
            raise ValueError(f"{origin!r} is no origin; expected http(s)://HOST or http(s)://HOST:PORT")
    return tuple(origin.lower() for origin in origins)
