"""Showing a draft and letting a person accept, edit or reject it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from memtui.cli.output import say
from memtui.formats.model import FormatError

T = TypeVar("T")

_ANSWER = click.Choice(["y", "e", "n"], case_sensitive=False)


def settled(draft: T, question: str, show: Callable[[T], None], edit: Callable[[T], T]) -> T | None:
    """The draft as the person accepts it, None to leave it.

    Args:
        draft: what is shown first.
        question: what is asked, naming y, e and n.
        show: shows a draft.
        edit: lets the person change it.
    """
    show(draft)
    while True:
        answer = click.prompt(question, type=_ANSWER, show_choices=False)
        if answer != "e":
            return draft if answer == "y" else None
        draft = edit(draft)
        show(draft)


def edited(text: str, read: Callable[[str], T], what: str) -> T | None:
    """The text after editing, parsed; an invalid one is edited again. None to leave it.

    Args:
        text: what to edit.
        read: reads the edited text; raises `FormatError`.
        what: the kind of document, for a sentence: ``memory file``.
    """
    while True:
        try:
            changed = click.edit(text, extension=".md")
        except FileNotFoundError:  # of `click.edit`'s own file
            say("The file that was being edited is gone; the text is as it was.")
            return None
        except UnicodeDecodeError:
            say("What was saved is no UTF-8; the text is as it was.")
            return None
        if changed is None:
            return None
        try:
            return read(changed)
        except FormatError as error:
            say(f"This is no {what}: {error}.")
            if not click.confirm("Edit again?", default=True):
                return None
            text = changed
