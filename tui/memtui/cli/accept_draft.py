"""Showing a draft, to be accepted, edited or rejected."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from memtui.cli.output import say
from memtui.formats.model import FormatError

T = TypeVar("T")

_ANSWER = click.Choice(["y", "e", "n"], case_sensitive=False)


def accepted_draft(draft: T, question: str, show: Callable[[T], None], edit: Callable[[T], T]) -> T | None:
    """The draft as accepted by the user, None if rejected.

    Args:
        draft: the initial draft.
        question: the question, which names y, e and n.
        show: shows a draft.
        edit: lets the user edit it.
    """
    show(draft)
    while True:
        answer = click.prompt(question, type=_ANSWER, show_choices=False)
        if answer != "e":
            return draft if answer == "y" else None
        draft = edit(draft)
        show(draft)


def edited(text: str, read: Callable[[str], T], what: str) -> T | None:
    """The text after editing, parsed; an invalid one is edited again. None if rejected.

    Args:
        text: the text to edit.
        read: reads the edited text; raises `FormatError`.
        what: the kind of document, for a sentence: ``memory file``.
    """
    while True:
        try:
            changed = click.edit(text, extension=".md")
        except FileNotFoundError:  # of the file made by `click.edit`
            say("The file that was being edited is gone; the text is unchanged.")
            return None
        except UnicodeDecodeError:
            say("The saved file is not UTF-8; the text is unchanged.")
            return None
        if changed is None:
            return None
        try:
            return read(changed)
        except FormatError as error:
            say(f"This is not a {what}: {error}.")
            if not click.confirm("Edit again?", default=True):
                return None
            text = changed
