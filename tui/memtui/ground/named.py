"""`typing.NamedTuple` for the modules of the hook process, without `typing`.

Importing `typing` takes longer than a hook's work. Type checkers see the original, as they take
`TYPE_CHECKING` for true wherever it is defined.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    _OWN = ("__annotations__", "__module__", "__qualname__")

    class _Maker(type):
        """Turns a class statement into a named tuple of the annotated fields, with the class's methods."""

        def __new__(cls, name, bases, body):
            fields = body.get("__annotations__", {})
            defaults = [body[field] for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            made.__annotations__ = fields
            for key in body:
                if key not in _OWN and key not in fields:
                    setattr(made, key, body[key])
            return made

    NamedTuple = type.__new__(_Maker, "NamedTuple", (), {})
