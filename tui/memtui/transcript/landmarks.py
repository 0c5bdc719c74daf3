"""Commits, tags and pull requests, from the output of git, gh, glab and gt (Graphite)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from memtui.secrets.border import cleared
from memtui.transcript.records import Landmark, Source
from memtui.transcript.shell import shows_outcome

_COMMITTED = re.compile(
    r"^\[(?P<branch>[^\]\n]{1,200}?) (?P<first>\(root-commit\) )?"
    r"(?P<commit>[0-9a-f]{7,40})\] (?P<subject>.+)$",
    re.MULTILINE,
)
_IN_TEMP = re.compile(
    r"(?:\bcd|\bgit -C|\bgit init)\s+[\"']?(?:(?:/private)?/(?:tmp|var/folders)\b|\$[({]?\w*te?mp)",
    re.IGNORECASE,
)
_PULL = re.compile(
    r"https://[\w.-]+/[\w./-]+/(?:pull|merge_requests)/\d+|https://app\.graphite\.\w+/github/pr/[\w./-]+"
)
_PROGRAMS = ("git", "gt ", "gh ", "glab ")
_SUBMITS = ("gh pr create", "glab mr create", "gt submit", "gt ss")
_TAGGED = re.compile(r"^\s*\* \[new tag\]\s+(\S{1,100}) ", re.MULTILINE)
_TAGS = re.compile(r"\bgit tag (?:-[asf] )*(?![-\s])([\w./+-]{1,100})(?![^\s;&|)])")
_RESET = re.compile(
    r"\bgit reset\b(?![^\n;&|]* -- )(?:\s+--(?:hard|soft|mixed|keep|merge))*\s*(?P<to>[^\s;&|]*)"
)
_BACK = re.compile(r"(?:HEAD|@)(?:~(?P<count>\d*)|(?P<marks>\^+))")
_HASH = re.compile(r"[0-9a-f]{7,40}")
_REBASE = re.compile(r"\bgit (?:rebase\b(?! --abort)|pull\b[^\n;&|]* --rebase\b)")
_STACKED = re.compile(r"\bgt (?:create|modify|commit create)\b(?P<options>[^\n;&|\"']*)")
"""Graphite's commits, whose output has no commit id: ``2 files changed, 214 insertions(+)``."""
_NEW = re.compile(r"\s(?:-[a-z]*c[a-z]*|--commit)\b")
_CHANGED = re.compile(r"^ ?\d+ files? changed\b", re.MULTILINE)
_QUIET = re.compile(r"\bgit (?:-C \S+ )?commit\b[^\n;&|\"']*\s(?:-[a-pr-z]*q[a-z]*|--quiet)\b")
_MESSAGE = re.compile(
    r"\s(?:-[a-zA-Z]*m|--message)[ =]?"
    r"(?:\"\$\(cat <<-?\s*['\"]?\w+['\"]?\s*\n|(?P<quote>[\"'])|(?=[^\s\"'-]))(?P<subject>[^\n]+)"
)
_COUNT_LIMIT = 200
_TEXT_LIMIT = 200
_OUTPUT_LIMIT = 20_000
_COMMAND = 2_000


class LandmarkLog:
    """Keeps the last commits, tags and pull requests; a tag or an address counts once."""

    def __init__(self, known: Iterable[Landmark] = ()) -> None:
        self._found: dict[str, Landmark] = {_key(each): each for each in known}

    def ran(self, command: str, output: str, source: Source) -> None:
        """Record a successful shell command with its output at `source`."""
        if not any(program in command for program in _PROGRAMS):
            return
        output = cleared(output)[:_OUTPUT_LIMIT]
        if "git" in command:
            self._by_git(command, output, source)
        if "gt " in command and (stacked := _STACKED.search(command)) and _CHANGED.search(output):
            if "modify" in stacked[0] and not _NEW.search(stacked["options"]):
                self._supersede(self._commits()[-1:], "amend")
            self._add_unnamed(command, source)
        if any(submits in command for submits in _SUBMITS):
            for match in _PULL.finditer(output):
                self._add(Landmark("pull request", match[0], source=source))

    def finish(self) -> tuple[Landmark, ...]:
        """The landmarks, oldest first."""
        return tuple(self._found.values())

    def _by_git(self, command: str, output: str, source: Source) -> None:
        if "reset" in command and (reset := _RESET.search(command)):
            self._reset(reset["to"])
        if "rebase" in command and _REBASE.search(command):
            self._supersede(self._commits(), "rebase")
        if "commit" in command:
            if "--amend" in command:
                self._supersede(self._commits()[-1:], "amend")
            tried_out = _is_tried_out(command[:_COMMAND])
            named = list(_COMMITTED.finditer(output))
            for match in named:
                if not (match["first"] and tried_out):
                    subject = match["subject"].strip()[:_TEXT_LIMIT]
                    self._add(Landmark("commit", subject, match["commit"], source))
            quiet = not named and _QUIET.search(command[:_COMMAND])
            if quiet and shows_outcome(command) and not tried_out:
                self._add_unnamed(command, source)
        if "tag" in output or "git tag " in command:
            self._tagged(command, output, source)

    def _tagged(self, command: str, output: str, source: Source) -> None:
        if "tag" in output:
            for match in _TAGGED.finditer(output):
                self._add(Landmark("tag", f"tag {match[1]}", source=source))
        if "git tag " in command and not output.strip():
            for match in _TAGS.finditer(command[:_COMMAND]):
                self._add(Landmark("tag", f"tag {match[1]}", source=source))

    def _commits(self) -> list[Landmark]:
        return [each for each in self._found.values() if each.kind == "commit" and not each.superseded]

    def _add_unnamed(self, command: str, source: Source) -> None:
        """Record a commit whose id was not printed, by the first line of its message."""
        if message := _MESSAGE.search(command[:_COMMAND]):
            subject, quote = message["subject"], message["quote"]
            subject = subject.partition(quote)[0] if quote else subject
            self._add(Landmark("commit", subject.strip()[:_TEXT_LIMIT], source=source))

    def _reset(self, to: str) -> None:
        """Mark the commits undone by a reset: the number it states, else all."""
        commits = self._commits()
        if not to or to in ("HEAD", "@"):
            return
        if back := _BACK.fullmatch(to):
            count = len(back["marks"]) if back["marks"] else int(back["count"] or 1)
            self._supersede(commits[-count:] if count else [], "reset")
        elif _HASH.fullmatch(to):
            at = [index for index, each in enumerate(commits) if _same_commit(each.commit, to)]
            self._supersede(commits[at[0] + 1 :] if at else commits, "reset")
        elif "/" in to and "." not in to:
            self._supersede(commits, "reset")  # to a remote branch

    def _supersede(self, commits: Iterable[Landmark], how: Literal["amend", "rebase", "reset"]) -> None:
        for each in commits:
            self._found[_key(each)] = replace(each, superseded=how)

    def _add(self, landmark: Landmark) -> None:
        self._found.pop(_key(landmark), None)
        self._found[_key(landmark)] = landmark
        if len(self._found) > _COUNT_LIMIT:
            del self._found[next(iter(self._found))]


def _key(landmark: Landmark) -> str:
    """Key for deduplication: two commits may have the same subject."""
    return landmark.commit or landmark.text


def _same_commit(one: str, other: str) -> bool:
    return bool(one) and (one.startswith(other) or other.startswith(one))


def _is_tried_out(command: str) -> bool:
    """Whether a repository was created in a temporary folder; its first commit is not part of the project."""
    return "git init" in command and _IN_TEMP.search(command) is not None
