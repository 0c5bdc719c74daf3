"""A self-contained HTML page: no scripts, nothing loaded."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from memtui.ground.clean import clean_line

_CSS = Path(__file__).with_name("page.css")


def html_page(title: str, notes: Iterable[str], body: Iterable[str]) -> Iterator[str]:
    """The page, part by part.

    Args:
        title: one line.
        notes: lines below it.
        body: HTML.
    """
    name, css = escape(clean_line(title)), _CSS.read_text("utf-8")
    style = b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'"
    yield (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="generator" content="memtui">\n'
        f"<title>{name}</title>\n<style>{css}</style>\n</head>\n<body>\n<header>\n<h1>{name}</h1>\n"
    )
    for note in notes:
        yield f"<p>{escape(clean_line(note))}</p>\n"
    yield "</header>\n"
    yield from body
    yield "</body>\n</html>\n"
