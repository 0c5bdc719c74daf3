"""Output on stdout: safe for a terminal, faithful for a program."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.cli import output
from memtui.cli.startup import prepare_streams
from tests.warm import Warm

HOSTILE = "\x1b]0;title\x07\x1b]52;c;aGk=\x07\x9b6n\u202eabc\u2066[/b] {x} \x00\x7f\r\t\U000e0041\ud83d"
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


Printed = pytest.CaptureFixture[str]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Standard output is a terminal."""
    monkeypatch.setattr(output, "is_terminal", lambda: True)
    return monkeypatch


def test_json_for_a_terminal_is_clean(capsys: Printed, terminal: pytest.MonkeyPatch) -> None:
    output.print_json([HOSTILE])
    (text,) = json.loads(capsys.readouterr().out)
    assert not _CONTROL.search(text)


@given(
    st.recursive(
        st.text() | st.integers() | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_any_value_comes_back(value: object) -> None:
    with redirect_stdout(StringIO()) as printed:
        output.print_json(value)
    text = printed.getvalue()
    text.encode()
    assert json.loads(text) == value
    assert not _CONTROL.search(text)


def test_rows_for_a_program_have_tabs_between_fields(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_table(("A", "B"), [("one\ttwo", "three\nfour"), (HOSTILE, "")], flexible=0)
    lines = capsys.readouterr().out.split("\n")
    assert lines[0] == "one two\tthree four"
    assert lines[1].count("\t") == 1
    assert lines[2:] == [""]


@pytest.mark.parametrize("columns", [140, 80, 40])
def test_a_table_for_people_fits_the_terminal(
    columns: int, capsys: Printed, terminal: pytest.MonkeyPatch
) -> None:
    terminal.setenv("COLUMNS", str(columns))
    row = ("pending", "2026-01-02 10:15", "漢字 " * 60 + HOSTILE, "20260102_101500-autocompact.md")
    output.print_table(("Status", "Time", "Title", "File"), [row], flexible=2)
    printed = capsys.readouterr().out
    assert not _CONTROL.search(printed)
    assert "20260102_101500-autocompact.md" in printed and "漢字" in printed
    assert all(_cells(line) <= columns for line in printed.split("\n"))


def test_where_a_column_gets_a_line_of_its_own_the_others_keep_their_headings(
    capsys: Printed, terminal: pytest.MonkeyPatch
) -> None:
    terminal.setenv("COLUMNS", "40")
    row = ("5e55a001", "Fix the totals of the invoice", f"plnd/{'branch' * 9}", "", "folder" * 9)
    output.print_table(("id", "session", "branch", "left", "ran in"), [row], flexible=1)
    assert capsys.readouterr().out.splitlines() == [
        "id        branch       left  ran in     ",
        "  session",
        "5e55a001  plnd/branc…        folderfold…",
        "  Fix the totals of the invoice",
    ]


def _cells(line: str) -> int:
    return sum(2 if "\u4e00" <= character <= "\u9fff" else 1 for character in line)


def test_groups_and_documents_for_people_are_wrapped_at_words(
    capsys: Printed, terminal: pytest.MonkeyPatch
) -> None:
    terminal.setenv("COLUMNS", "12")
    output.print_groups([("Files", ["a", "[red]b[/]"]), ("Errors", [HOSTILE])])
    output.print_document(f"# Title\n\n- one two three four\n[b]plain\n{HOSTILE}\n")
    printed = capsys.readouterr().out
    assert printed.startswith("Files\n  a\n  [red]b[/]\n\nErrors\n")
    assert "# Title\n\n- one two\n  three four\n[b]plain\n" in printed
    assert not _CONTROL.search(printed)


_PRINTS = (
    "from memtui.cli.output import *; from memtui.cli.startup import prepare_streams; prepare_streams()\n"
    "say('\\u00e9\\u6f22\\u5b57 \\ud83d'); print_table('A', [['\\u00e9\\u6f22\\u5b57']], flexible=0)"
)

_WITHOUT_SITE = {"PYTHONPATH": os.pathsep.join(sys.path)}
"""Needed for `-S`: in a locale other than UTF-8 the module `site` fails at a repository in a folder é."""


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1", "C.UTF-8"])
def test_a_pipe_gets_utf8_whatever_the_locale(locale: str) -> None:
    env = {**os.environ, "LC_ALL": locale, "LANG": locale, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    env |= _WITHOUT_SITE
    done = subprocess.run(
        [sys.executable, "-S", "-c", _PRINTS], capture_output=True, env=env, check=True, timeout=60
    )
    assert done.stdout.decode() == "é漢字 \ufffd\né漢字\n"


@pytest.mark.parametrize("no_color", [False, True])
def test_changes_are_coloured_on_a_terminal_that_wants_it(no_color: bool) -> None:
    program = (
        "from memtui.cli.output import *; from memtui.cli.startup import prepare_streams;"
        " prepare_streams();"
        " print_changes([[('new', 'added'), ('old', '')]])"
    )
    command = [sys.executable, "-S", "-c", program]
    env = {**os.environ, **_WITHOUT_SITE, "TERM": "xterm-256color"}
    if no_color:
        env["NO_COLOR"] = "1"
    expected = "newold" if no_color else "\x1b[32mnew\x1b[0mold"
    assert _run_in_a_pty(command, env).strip() == expected
    piped = subprocess.run(command, capture_output=True, text=True, env=env, check=True, timeout=60)
    assert piped.stdout.strip() == "newold"


def _run_in_a_pty(command: list[str], env: dict[str, str]) -> str:
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env):
        os.close(theirs)
        parts: list[bytes] = []
        try:
            while part := os.read(ours, 65536):
                parts.append(part)
        except OSError:  # what Linux says when the other side has closed
            pass
    os.close(ours)
    return b"".join(parts).decode()


@pytest.mark.parametrize(
    "words",
    ["for _ in range(100_000): say('x' * 100)", "sys.stdin.read(); say('short')"],
    ids=["in the middle", "before the last words"],
)
def test_a_reader_that_goes_away_is_no_error(words: str) -> None:
    program = (
        "import sys; from memtui.cli import output; from memtui.cli.main import run, Openers\n"
        "say = output.say\n"
        "output.can_show_app = lambda: True\n"
        "def speak(*_):\n"
        f"    {words}\n"
        "sys.exit(run(['demo'], Openers(speak, speak, speak)))"
    )
    process = _started(program)
    if "range" in words:
        process.stdout.readline()
    process.stdout.close()
    process.stdin.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 1
    process.end()


def _started(program: str) -> Warm:
    return Warm(program, cwd=Path.cwd(), env=os.environ, imports=["import memtui.cli.main"])


def test_a_stream_that_was_closed_takes_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    prepare_streams()
    assert not output.is_terminal()
    output.say("to nobody")
    output.say("to nobody", err=True)
    for stream in (sys.stdout, sys.stderr):
        stream.close()
