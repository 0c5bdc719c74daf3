"""Commits, tags, pull requests and addresses; reports of subagents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from memtui.secrets.secrets import masked
from memtui.transcript.checks import folder_of
from memtui.transcript.paths import is_inside
from memtui.transcript.records import Command, Landmark, Quote, Source, in_order, is_after
from memtui.transcript.shell import outside_quotes, shows_outcome

_COMMITTED = re.compile(
    r"(?m)^\[(?P<branch>[^\]\n]{1,200}?) (?P<first>\(root-commit\) )?"
    r"(?P<commit>[0-9a-f]{7,40})\] (?P<subject>.+)$"
)
_IN_TEMP = re.compile(
    r"(?i)(?:\bcd|\bgit -C|\bgit init)\s+[\"']?(?:(?:/private)?/(?:tmp|var/folders)\b|\$[({]?\w*te?mp)"
)
_PULL = re.compile(
    r"https://[\w.-]+/[\w./-]+/(?:pull|merge_requests)/\d+|https://app\.graphite\.\w+/github/pr/[\w./-]+"
)
_PROGRAMS = ("git", "gt ", "gh ", "glab ")
_SUBMITS = ("gh pr create", "glab mr create", "gt submit", "gt ss")
_TITLE = re.compile(r"\s(?:--title|-t)[ =](?P<quote>[\"'])(?P<title>[^\n$`]+?)(?P=quote)")
_TAGGED = re.compile(r"^\s*\* \[new tag\]\s+(\S{1,100}) ", re.MULTILINE)
GIT = r"\bgit(?: +-[cC] +\S+| +--(?:git-dir|work-tree)[= ]\S+| +--no-pager)*"
"""Git with its own options: ``git -C DIR``."""
_TAGS = re.compile(rf"{GIT} tag (?:-[asf] )*(?![-\s])([\w./+-]{{1,100}})(?![^\s;&|)])")
_RESET = re.compile(rf"{GIT} reset\b(?![^\n;&|]* -- )(?:\s+--?[a-z]+)*\s*(?P<to>[^\s;&|]*)")
_BACK = re.compile(r"(?:HEAD|@)(?:~(?P<count>\d*)|(?P<marks>\^+))")
_HASH = re.compile(r"[0-9a-f]{7,40}")
_REBASE = re.compile(rf"{GIT} (?:rebase\b(?! --abort)|filter-(?:branch|repo)\b|pull\b[^\n;&|]* --rebase\b)")
_LOG = re.compile(
    rf"{GIT} log\b(?![^\n;&|]* (?:--all|-g|--reflog|--branches|--remotes|--skip)\b)"
    r"(?: +(?:-(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s;&|\"'])*|\d+|HEAD(?![~^])|[\w.@][\w./@{}~^-]*\.\.(?:HEAD)?))*"
    r"(?= *(?:$|[\n;&|)>]|-- ))"
)
"""A log of what is checked out."""
_SWITCH = re.compile(rf"{GIT} (?:checkout|switch)\b")
_LOGGED = re.compile(r"(?m)^[*|/\\ ]*(?P<commit>[0-9a-f]{7,40}) (?:\([^)\n]*\) )?(?P<subject>\S.*)$")
_REPLAYS = re.compile(rf"{GIT} (?P<how>cherry-pick|rebase)\b")
"""What gives commits new hashes: they need not be of the session."""
_NOT_PUSHED = re.compile(r"^(?: ! \[|error: |fatal: )", re.MULTILINE)
_STACKED = re.compile(r"\bgt (?:create|modify|commit create)\b(?P<options>[^\n;&|\"']*)")
"""Graphite's commits, whose output has no commit id: ``2 files changed, 214 insertions(+)``."""
_NEW = re.compile(r"\s(?:-[a-z]*c[a-z]*|--commit)\b")
_RESTACKED = re.compile(r"^Restacked (\S+) on \S+", re.MULTILINE)
_CHANGED = re.compile(r"^ ?\d+ files? changed\b", re.MULTILINE)
_QUIET = re.compile(rf"{GIT} commit\b[^\n;&|\"']*\s(?:-[a-pr-z]*q[a-z]*|--quiet)\b")
_MESSAGE = re.compile(
    r"\s(?:-[a-zA-Z]*m|--message)[ =]?"
    r"(?:\"\$\(cat <<-?\s*['\"]?\w+['\"]?\s*\n|(?P<quote>[\"'])|(?=[^\s\"'-]))(?P<subject>[^\n]+)"
)
_TEXT_LIMIT = 200
_COMMAND = 2_000


class LandmarkLog:
    """Keeps commits, tags and pull requests; a tag or an address counts once."""

    def __init__(self) -> None:
        self._found: dict[str, Landmark] = {}
        self.branches: dict[str, str] = {}
        self.pull_title: Quote | None = None

    def ran(self, command: str, output: str, source: Source, folder: str = "", failed: bool = False) -> None:
        """Record what a command did in a folder; one that failed may have committed before."""
        if not any(program in command for program in _PROGRAMS) or (failed and not _COMMITTED.search(output)):
            return
        output, known, to = masked(output)[:20_000], self.branches.copy(), folder_of(command, folder)
        if "git" in command:
            self._by_git(command, output, source)
        if folder and not (is_inside(to, folder) or is_inside(folder, to)):
            self.branches = known  # a folder beside may be of another repository
        elif _LOG.search(command) and not _SWITCH.search(command):
            self._logged(output)
        if "gt " in command and (stacked := _STACKED.search(command)) and _CHANGED.search(output):
            if "modify" in stacked[0] and not _NEW.search(stacked["options"]):
                self._supersede(self._commits()[-1:], "amend")
            self._add_unnamed(command, source)
        moved = set(_RESTACKED.findall(output))
        self._supersede([c for c in self._commits() if self.branches.get(c.commit) in moved], "rebase")
        self._pull(command, output, source)

    def finish(self) -> tuple[Landmark, ...]:
        return tuple(in_order(self._found.values()))

    def _pull(self, command: str, output: str, source: Source) -> None:
        """Record the pull requests that a command made, and the title of the last one."""
        if any(submits in command for submits in _SUBMITS):
            for match in _PULL.finditer(output):
                self._add(Landmark("pull request", match[0], source=source))
                if title := _TITLE.search(command):
                    self.pull_title = Quote(masked(title["title"])[:_TEXT_LIMIT], source)

    def _by_git(self, command: str, output: str, source: Source) -> None:
        if "reset" in command and (reset := _RESET.search(command)):
            self._reset(reset["to"])
        if _REBASE.search(command) and not _NOT_PUSHED.search(output):
            self._supersede(self._commits(), "rebase")
        if "commit" in command or "cherry-pick" in command:
            if "--amend" in command:
                self._supersede(self._commits()[-1:], "amend")
            # The first commit of a repository in a temporary folder is not part of the project.
            tried_out = "git init" in command[:_COMMAND] and _IN_TEMP.search(command[:_COMMAND]) is not None
            named = list(_COMMITTED.finditer(output))
            replayed = None if "git commit" in command else _REPLAYS.search(command)
            for match in named:
                if not (match["first"] and tried_out):
                    self._committed(match, replayed["how"] if replayed else "", source)
            quiet = not named and _QUIET.search(command[:_COMMAND])
            if quiet and shows_outcome(command) and not tried_out:
                self._add_unnamed(command, source)
        self._tagged(command, output, source)

    def _committed(self, match: re.Match[str], how: str, source: Source) -> None:
        """Record a commit that git named; of one replayed (`how`) say so, unless it was made here."""
        subject = match["subject"].strip()[:_TEXT_LIMIT]
        if how and all(each.text != subject for each in self._found.values()):
            subject += f" ({how.removesuffix('e')}ed)"
        self._add(Landmark("commit", subject, match["commit"], source))
        self.branches[match["commit"]] = match["branch"]

    def _tagged(self, command: str, output: str, source: Source) -> None:
        if "tag" in output:
            for match in _TAGGED.finditer(output):
                self._add(Landmark("tag", f"tag {match[1]}", source=source))
        if "tag " in command and not output.strip():
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
            at = [
                index
                for index, each in enumerate(commits)
                if each.commit and (each.commit.startswith(to) or to.startswith(each.commit))
            ]
            self._supersede(commits[at[0] + 1 :] if at else commits, "reset")
        elif ("/" in to and "." not in to) or to.startswith(("@{u", "FETCH_HEAD")):
            self._supersede(commits, "reset")  # to a remote branch

    def _logged(self, output: str) -> None:
        """Give commits the hash that a log names: they may have been replaced, also outside the session."""
        lines = [*_LOGGED.finditer(output)][::-1]  # of two with one subject the newest counts
        hashes = {match["subject"][:_TEXT_LIMIT]: match["commit"] for match in lines}
        hashes |= {match["commit"][:7]: match["commit"] for match in lines}
        stand = {"", *(each.commit[:7] for each in self._commits())}
        named = []
        for each in self._found.values():
            commit = hashes.get(each.commit[:7]) or hashes.get(each.text, "")
            named.append(each if commit[:7] in stand else replace(each, commit=commit, superseded=""))
        self._found = {_key(each): each for each in named}

    def _supersede(self, commits: Iterable[Landmark], how: Literal["amend", "rebase", "reset"]) -> None:
        for each in commits:
            self._found[_key(each)] = replace(each, superseded=how)

    def _add(self, landmark: Landmark) -> None:
        """A commit takes the place of one with its subject that was amended, rebased or reset."""
        for key, each in list(self._found.items()):
            if key == _key(landmark) or (each.superseded and each.text == landmark.text):
                del self._found[key]
        self._found[_key(landmark)] = landmark


def _key(landmark: Landmark) -> str:
    """Key for deduplication: two commits may have the same subject."""
    return landmark.commit or landmark.text


_CONFLICT = re.compile(
    r"(?m)^(?:CONFLICT \(|error: could not apply |Automatic merge failed|Patch failed at )"
)
_SETTLES = re.compile(rf"{GIT} (?:am|cherry-pick|commit|merge|pull|push|rebase|reset|revert|switch)(?![\w-])")
_EXCHANGES = re.compile(
    rf"{GIT} (?:am|cherry-pick|merge|pull|rebase|revert"
    r"|(?:checkout|switch)(?! -[bBc] [^\s;&|]+ *(?:$|[\n;&|]))|stash(?! (?:list|show))"
    r"|reset[^\n;&|]* --(?:hard|keep|merge)|restore(?! --staged))(?![\w-])[^\n;&|]*"
)
"""Commands of git that can change files in the working tree."""


def halted_merge(commands: Sequence[Command]) -> Command | None:
    """The last merge, rebase or pick that stopped at a conflict, if no later command ended it."""
    for run in _of_project(reversed(commands)):
        if run.outcome == "failed" and _CONFLICT.search(run.output):
            return run
        settles = "working tree clean" in run.output or any(outside_quotes(_SETTLES, run.text))
        if run.outcome == "ok" and settles:
            return None
    return None


def _of_project(commands: Iterable[Command]) -> Iterator[Command]:
    """Commands of git that were not run in a temporary folder."""
    return (run for run in commands if "git " in run.text and not _IN_TEMP.search(run.text))


def tree_exchanged(commands: Sequence[Command], since: Source) -> str:
    """The last command of git after a place that may have changed files in the working tree; "" for none."""
    later = (run for run in _of_project(reversed(commands)) if is_after(run.source, since))
    moved = (run for run in later if run.outcome == "ok" or _CONFLICT.search(run.output))
    return next((each for run in moved for each in outside_quotes(_EXCHANGES, run.text)), "")


_AT_ONCE = 10  # the most addresses in one result; more are a list that the session only looked at
_ADDRESS = re.compile(
    r"(?m)(?:^|[\"\t:]) *(?P<address>https://[\w.-]{1,100}/(?:[\w./-]{1,200}?/(?:pull|issues|merge_requests)/\d{1,9}"
    r"|(?:[\w-]{1,100}/){0,2}(?:issue|browse)/[A-Z][A-Z0-9]{1,9}-\d{1,9}))\b(?=[^\s\"]*[ ]*(?:$|[\"\t]))"
)
"""Of GitHub, Gitea and GitLab; of Linear and Jira; as a value or at the end of a line, not in text."""
_PARTS = ("/pull/", "/issues/", "/merge_requests/", "/issue/", "/browse/")
"""Cheap pre-filter: every such address has one of these."""


class AddressLog:
    """Keeps the addresses of pull requests and issues."""

    def __init__(self) -> None:
        self.seen: dict[str, Quote] = {}
        """In the order in which they were last seen."""

    def read(self, text: str, source: Source) -> None:
        may = "https://" in text and any(part in text for part in _PARTS)
        found = dict.fromkeys(_ADDRESS.findall(masked(text[:100_000]))) if may else {}
        for address in found if len(found) <= _AT_ONCE else ():
            self.seen.pop(address, None)
            self.seen[address] = Quote(address, source, len(address))
