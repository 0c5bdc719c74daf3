"""Files that a shell command evidently wrote: here-documents, ``tee`` and ``sed -i``.

Kept apart from the modified files: a command line does not prove what a file holds afterwards.
"""

from __future__ import annotations

import re
import shlex

from memtui.transcript.paths import absolute

_HEREDOC_TO = re.compile(
    r"\bcat\s*(?:>>?\s*(?P<before>[^\s<>|&;]+)\s*<<|<<-?\s*['\"]?\w+['\"]?\s*>>?\s*(?P<after>[^\s<>|&;]+))"
)
_TEE = re.compile(r"\btee\s+(?:-a\s+)?(?P<path>[^\s<>|&;-][^\s<>|&;]*)")
_SED = re.compile(r"(?:^|[;&|]\s*)sed\s+-i[^\n;&|]*")
IN_PROGRAM = "named in a program that ran"
"""Fate of a file that an inline program may have changed."""
_INTERPRETERS = ("python", "node", "ruby", "perl", "php", "deno", "bun")
_PROGRAM = re.compile(
    r"\b(?:python[\d.]*|node|ruby|perl|php|deno|bun)\b[^\n;&|]*?(?:<<|\s-\w*[ceip]\b)", re.IGNORECASE
)
"""An interpreter with an inline program."""
_WRITES = re.compile(r"write|rename|unlink|remove|[\"'][wa][bt]?\+?[\"']|\s-\w*i\b", re.IGNORECASE)
_LITERAL = re.compile(r"(?<=[\"'\s])[\w@.~:/\\-]{1,300}\.\w{1,10}(?=[\"'\s]|$)")
_SCANNED = 20_000
_CD = re.compile(r"\s*cd\s+(?P<folder>[^\s;&|]+)\s*(?:&&|;)")


def may_write(command: str) -> bool:
    """Cheap pre-filter for `written_files` and `programmed_files`."""
    return "<<" in command or "tee " in command or "sed -i" in command or _program(command) is not None


def _program(command: str) -> re.Match[str] | None:
    """The interpreter with an inline program in a command line, if any."""
    lower = command.lower()
    return _PROGRAM.search(command) if any(name in lower for name in _INTERPRETERS) else None


def programmed_files(command: str, cwd: str) -> list[str]:
    """Absolute paths in an inline program that may write files.

    The files that it really wrote are not on record.
    """
    if not (program := _program(command)) or not _WRITES.search(command, program.start()):
        return []
    if moved := _CD.match(command):
        cwd = absolute(_unquoted(moved["folder"]), cwd)
    paths = dict.fromkeys(_LITERAL.findall(command[program.start() : program.start() + _SCANNED]))
    return [absolute(path, cwd) for path in paths]


def written_files(command: str, cwd: str) -> list[str]:
    """Absolute paths written by a successful command."""
    if "<<" not in command and "tee " not in command and "sed -i" not in command:
        return []
    if moved := _CD.match(command):
        cwd = absolute(_unquoted(moved["folder"]), cwd)
    found = [match["before"] or match["after"] for match in _HEREDOC_TO.finditer(command)]
    script = command.split("<<", 1)[0]
    found += [match["path"] for match in _TEE.finditer(script)]
    for match in _SED.finditer(script):
        found += _sed_files(match[0])
    paths = (_unquoted(path) for path in found)
    return [
        absolute(path, cwd)
        for path in paths
        if path and not path.startswith(("/dev/", "&", "~")) and "$" not in path
    ]


def _sed_files(command: str) -> list[str]:
    try:
        words = shlex.split(command.lstrip(";&| "))[1:]
    except ValueError:
        return []
    plain: list[str] = []
    has_script = skipped = False
    for word in words:
        if skipped:
            skipped = False
        elif word in ("-e", "-f", "--expression", "--file"):
            has_script = skipped = True
        elif word and not word.startswith("-"):  # BSD sed takes the suffix as a word: sed -i '' 's/a/b/' file
            plain.append(word)
    return plain if has_script else plain[1:]


def _unquoted(path: str) -> str:
    return path.strip("'\"")
