"""What is no question is replied to without a search, through the whole engine."""

from pathlib import Path

from app import open_pageproof


def test_thanks_are_no_search_and_no_na_and_leave_the_conversation_as_it_is(sample_data: Path) -> None:
    with open_pageproof("offline", data=sample_data) as client:
        conversation = client.conversation()
        conversation.ask("What was the total revenue of Ostermere Instruments?")
        thanks = conversation.ask("thanks")
        before = conversation.ask("and the year before?")
    assert (thanks.kind, thanks.is_available, thanks.pages) == ("text", True, ())
    assert before.value == 402_875_000
    assert before.understood is not None
    assert before.understood.metrics == ("Total revenue",)
