"""Failed checks that are hidden by a pipe: its exit status is that of its last part, ``tail``."""

from __future__ import annotations

import re

from memtui.secrets.border import cleared
from memtui.transcript.checks import is_check
from memtui.transcript.tools import FILTERS

_MASKS = re.compile(
    rf"\|\s*(?:{'|'.join(FILTERS)})\b"
    r"|\|\|\s*(?:true|echo|:|exit 0)|;\s*(?:echo|true|exit 0)\b"
)
_PIPEFAIL = "pipefail"
_SAID = re.compile(
    r"^(?:--- FAIL: | ?FAIL(?:ED)?\s+\S|FAIL$|exit status [1-9]|test result: FAILED"
    r"|npm (?:ERR!|error) |make(?:\[\d+\])?: \*\*\* |error Command failed|\*\* TEST FAILED \*\*"
    r"|error\[E\d{4}\]: |error: (?:could not compile|aborting due|Recipe |test failed)"
    r"|Found [1-9]\d* errors?\b(?!.*\b0 remaining)|[1-9]\d* issues?[:.]\s*$"
    r"|[\w./-]+\.go:\d+:\d+: \S|\S+:\d+:\d+: (?:fatal )?error: )"
    r"|\b[1-9]\d* (?:failed|errors?)\b[^\n]{0,80} in \d[\d.]*s"
    r"|^[ \t]*(?:Tests|Test Suites|Test Files):?[ \t][^\n]{0,80}\b[1-9]\d* failed"
    r"|\berror TS\d{4}:|✖ \d+ problems? \([1-9]|\bELIFECYCLE\b|\bBUILD FAIL(?:ED|URE)\b|ERROR task failed",
)
"""Lines that test runners, compilers and linters print on failure."""
_STEMS = ("FAIL", "failed", "rror", "ERR!", " issue", "exit status", "ELIFECYCLE", "problem", "***", ".go:")
"""Cheap pre-filter: every match of `_SAID` contains one of these."""
_LONGEST = 8_000
_AROUND = 500
"""Length of the context shown around such a line, in characters."""


def hides_outcome(command: str) -> bool:
    """Whether a command line returns the exit status of something other than its check."""
    return _MASKS.search(command) is not None and _PIPEFAIL not in command


def hidden_failure(command: str, output: str) -> str:
    """The failure that a check printed although its command line exited with 0; "" for none.

    Args:
        command: a command line that exited with 0.
        output: its output.
    """
    if not hides_outcome(command) or not _holds_stem(output) or not is_check(command):
        return ""
    output = cleared(output)[-_LONGEST:]
    start = 0
    for line in output.split("\n"):
        if _holds_stem(line) and (said := _SAID.search(line)) is not None:
            return output[max(0, start + said.start() - _AROUND) : start + said.end() + _AROUND]
        start += len(line) + 1
    return ""


def _holds_stem(text: str) -> bool:
    # A loop: any() with a generator takes twice as long.
    for stem in _STEMS:  # noqa: SIM110
        if stem in text:
            return True
    return False
