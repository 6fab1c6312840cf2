"""What can be chosen of the chat. No Chainlit here."""

from pydantic import BaseModel, ConfigDict, Field


class ChatOptions(BaseModel):
    """The chat."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    uploads: bool = Field(default=True, description="Take PDFs in the chat.")
    upload_megabytes: int = Field(default=100, ge=1, description="Largest PDF that the chat takes, in megabytes.")
    upload_pages: int = Field(default=1000, ge=1, description="Most pages of a PDF that the chat takes.")
    uploads_per_hour: int = Field(default=60, ge=1, description="PDFs that one person may send in an hour.")
    uploads_at_once: int = Field(
        default=1, ge=1, description="PDFs read at a time, each of another library; one needs up to 2.5 GB."
    )
