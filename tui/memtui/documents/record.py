"""The records of formats: frozen pydantic models, and the types of their texts and times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Self

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict

from memtui.documents.markdown import Section, is_none
from memtui.ground.clock import whole_seconds
from memtui.ground.text import block, item, normal, one_line


class Record(BaseModel):
    """A frozen value of a format. Its texts are normalised on creation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed, and checked like a new one (`model_copy` checks nothing)."""
        return type(self).model_validate({**dict(self), **changes})

    def with_texts(self, change: Callable[[str], str]) -> Self:
        """A copy with every text changed, at any depth, except in unknown sections."""

        def changed(value: Any) -> Any:
            if isinstance(value, str):
                return change(value)
            if isinstance(value, Section):
                return value
            if isinstance(value, Record):
                return value.with_texts(change)
            return tuple(map(changed, value)) if isinstance(value, tuple) else value

        return self.replace(**{name: changed(value) for name, value in self})


def text_as(function: Callable[[str], str]) -> BeforeValidator:
    return BeforeValidator(lambda value: function(value) if isinstance(value, str) else value)


Moment = Annotated[AwareDatetime, AfterValidator(whole_seconds)]  # a time to the second, with its offset

Line = Annotated[str, text_as(one_line)]  # a text of one line

Block = Annotated[str, text_as(block)]  # a text of any number of lines, without blank ones at its ends

Item = Annotated[str, text_as(item)]  # A list item of one or more lines

Verbatim = Annotated[str, text_as(normal)]  # A text line for line, with its blank ends

Items = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda values: tuple(text for text in map(item, values) if not is_none(text))),
]
"""List items of one or more lines each; empty ones and ``(none)`` are dropped."""
