"""Shared by all formats: the record, its text types, the unknown section and the one error."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Annotated, Any, Self

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict

from memtui.formats import text as normalise
from memtui.formats.errors import FormatError

__all__ = ["Block", "FormatError", "Items", "Line", "Moment", "Record", "Section", "is_none"]


class Record(BaseModel):
    """A frozen value of a format. Its texts are normalised on creation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed, and checked like a new one (`model_copy` checks nothing)."""
        return type(self).model_validate({**dict(self), **changes})


def _text(function: Callable[[str], str]) -> BeforeValidator:
    return BeforeValidator(lambda value: function(value) if isinstance(value, str) else value)


def _items(values: object) -> object:
    if not isinstance(values, list | tuple):
        return values
    items = (normalise.item(value) if isinstance(value, str) else value for value in values)
    return tuple(item for item in items if not (isinstance(item, str) and is_none(item)))


def is_none(text: str) -> bool:
    """Whether `text` stands for nothing: it is empty or ``(none)``."""
    return text.casefold() in ("", "(none)")


def _whole_seconds(moment: datetime) -> datetime:
    if type(moment.tzinfo) is timezone and not (moment.microsecond or moment.fold):  # most texts
        return moment
    # A fixed offset: two times of one zone compare unequal in the hour that a zone change repeats.
    return moment.replace(microsecond=0, tzinfo=timezone(moment.utcoffset() or timedelta()), fold=0)


Moment = Annotated[AwareDatetime, AfterValidator(_whole_seconds)]
"""A time to the second, with its offset."""

Line = Annotated[str, _text(normalise.one_line)]
"""A text of one line."""

Block = Annotated[str, _text(normalise.block)]
"""A text of any number of lines, without blank ones at its ends."""

Items = Annotated[tuple[str, ...], BeforeValidator(_items)]
"""List items of one or more lines each; empty ones and ``(none)`` are dropped."""


class Section(Record):
    """A section unknown to its format: kept, and written back to its place."""

    heading: Line
    text: Block = ""
    after: str | None = None
    """The heading, as written, of the known section before it; "" if there is none, None for the last."""
