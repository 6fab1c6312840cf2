"""The base of what a prompt set is made of."""

from storage.record import Record


class PromptGroup(Record):
    """The texts for one job of a model, each with the built-in one as its default.

    On disk a group is a folder: a text or template is a `.md` file named by its field, an example or a tuple of
    examples a `.json` file, a mapping a folder. So a group has fields of these types alone.
    """
