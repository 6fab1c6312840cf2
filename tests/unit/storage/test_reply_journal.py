"""Replies that were paid for before a run was killed."""

from pathlib import Path

from openai.types.chat import ChatCompletion

from query_engines.llm.client import question_replies, replies_of_a_question, request_key
from storage.stores.reply_journal import ReplyJournal

COMPLETION = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "any",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "seven"}}],
}


def journal(tmp_path: Path, *, resume: bool = True) -> ReplyJournal:
    return ReplyJournal(tmp_path / "answers.json.replies", resume=resume)


def test_replies_of_a_killed_run_are_given_again_once_and_in_order(tmp_path: Path) -> None:
    killed = journal(tmp_path)
    for reply in ("first", "second"):
        killed.store("a", reply)
    resumed = journal(tmp_path)
    assert [resumed.take("a"), resumed.take("a"), resumed.take("a")] == ["first", "second", None]


def test_a_run_that_is_killed_again_still_has_the_replies_it_took(tmp_path: Path) -> None:
    journal(tmp_path).store("a", "first")
    journal(tmp_path).take("a")
    assert journal(tmp_path).take("a") == "first"


def test_replies_to_a_question_that_is_done_are_forgotten(tmp_path: Path) -> None:
    killed = journal(tmp_path)
    killed.store("a", "wrong form")
    killed.store("b", "right")
    killed.forget(["a"])
    resumed = journal(tmp_path)
    assert (resumed.take("a"), resumed.take("b")) == (None, "right")


def test_half_a_line_loses_its_own_reply_alone(tmp_path: Path) -> None:
    killed = journal(tmp_path)
    killed.store("a", "whole")
    with (tmp_path / "answers.json.replies").open("a") as file:
        file.write('\n{"key": "b", "rep')
    journal(tmp_path).store("c", "after")
    resumed = journal(tmp_path)
    assert [resumed.take(key) for key in "abc"] == ["whole", None, "after"]


def test_without_resume_nothing_is_kept_from_before_and_no_file_is_left(tmp_path: Path) -> None:
    journal(tmp_path).store("a", "first")
    anew = journal(tmp_path, resume=False)
    assert anew.take("a") is None
    assert list(tmp_path.iterdir()) == []


def test_a_question_s_replies_are_kept_until_it_is_settled(tmp_path: Path) -> None:
    first = journal(tmp_path)
    with replies_of_a_question(first):
        mine = question_replies()
        assert mine is not None
        assert mine.take("a") is None
        mine.store("a", ChatCompletion.model_validate(COMPLETION))
        mine.store("b", "<html>a proxy's page</html>")
    assert question_replies() is None
    with replies_of_a_question(journal(tmp_path)) as again:
        stored = again.take("a")
        again.close()
    assert stored is not None
    assert stored.choices[0].message.content == "seven"
    last = journal(tmp_path)
    assert (last.take("a"), last.take("b")) == (None, None)


def test_a_request_s_name_changes_with_its_words_and_its_model() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "How much?"}]}
    names = {
        request_key("http://a", body),
        request_key("http://b", body),
        request_key("http://a", {**body, "model": "n"}),
        request_key("http://a", {**body, "temperature": 0.5}),
    }
    assert len(names) == 4
    assert request_key("http://a", dict(reversed(body.items()))) in names
