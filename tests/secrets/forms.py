"""Notations of secrets in texts; the values are generated at run time, so that no scanner finds one."""

from __future__ import annotations

import random
import re
import string
from base64 import b64encode
from pathlib import Path

_SETS = {
    "hex": "0123456789abcdef", "HEX": "0123456789ABCDEF", "b62": string.ascii_letters + string.digits,
    "low": string.ascii_lowercase + string.digits, "UP": string.ascii_uppercase + string.digits,
    "url": string.ascii_letters + string.digits + "_-", "b64": string.ascii_letters + string.digits + "+/",
    "num": string.digits, "alpha": string.ascii_lowercase, "letters": string.ascii_letters,
}  # fmt: skip
_VALUE = re.compile(r"«(?!b64p)(\w+?)(\d+)»|«(\w+)»")

FORMS = Path(__file__).with_name("forms.txt").read_text("utf-8")


def _value(name: str, size: str, plain: str, chance: random.Random) -> str:
    if plain == "pw":
        middle = "".join(chance.choices(_SETS["b62"], k=5))
        return f"x{chance.choice('K7Z')}{middle}{chance.choice('!@%_-')}{chance.randrange(10, 99)}"
    if plain in ("b64pw", "b64plain"):
        secret = _value("", "", "pw", chance)
        return b64encode((f"\0me\0{secret}" if plain == "b64plain" else secret).encode()).decode()
    if plain == "basic":
        return b64encode(f"admin:{_value('', '', 'pw', chance)}".encode()).decode()
    return "".join(chance.choices(_SETS[name], k=int(size)))


def forms(text: str = FORMS, seed: int = 1) -> list[tuple[str, list[str]]]:
    """Each form with fresh values, and these values."""
    chance = random.Random(seed)
    found = []
    for line in text.strip("\n").split("\n"):
        values: list[str] = []

        def fill(match: re.Match[str], values: list[str] = values) -> str:
            name, size, plain = match[1] or "", match[2] or "", match[3] or ""
            # The size stands last: ``b6240`` are 40 of base 62 or 64.
            for known in ("b62", "b64"):
                if (name + size).startswith(known):
                    name, size = known, (name + size)[3:]
            values.append(_value(name, size, plain, chance))
            return values[-1]

        filled = (
            _VALUE.sub(fill, line.replace("«»", ""))
            .replace("\\\\n", "\0")
            .replace("\\n", "\n")
            .replace("\0", "\\n")
        )
        found.append((filled.replace('\\\\"', '\\"'), values))
    return found
