"""Checks (compilers, linters, tests), the failures that a pipe hides, and package changes."""

from __future__ import annotations

import re
from functools import lru_cache

from memtui.secrets.secrets import masked
from memtui.transcript import shell
from memtui.transcript.paths import absolute, is_inside, name_of
from memtui.transcript.records import Command, ErrorFact, Facts, Source, in_order
from memtui.transcript.shell import COMPILERS, EDIT_TOOLS, PACKAGE_MANAGERS, TEST_RUNNERS, programs_run
from memtui.transcript.short_text import command_line

SENTENCE = 240  # maximum length of a line in a draft, in characters

_CHECKERS = "|".join(map(re.escape, sorted(TEST_RUNNERS | shell.LINTERS | COMPILERS)))
_CHECK = re.compile(
    r"(?P<runner>(?:npx|bunx|python3? -m|(?:uv|poetry|hatch|pdm|rye) run|(?:pnpm|yarn|bundle|mise) exec) )?"
    rf"(?:(?:{_CHECKERS})(?![\w-]| format| fmt)"
    rf"|(?:{'|'.join(sorted(shell.TASK_RUNNERS, reverse=True))})\s+(?:run\s+)?(?![\w:.-]*\b(?:format|fmt)\b)"
    r"[\w:.-]*(?:test|check|build|compile|tsc|lint|vet|clippy))"
)
"""Commands that are checks, in the form of `memtui.transcript.shell.programs_run`."""

_LINT = re.compile(rf"lint|vet|clippy|(?:{'|'.join(shell.LINTERS - {'tsc', 'rustc'})})\b")
_RUN = re.compile(r"(?<=\w) run ")

_HINT = re.compile(rf"test|check|build|compile|lint|vet|clippy|{_CHECKERS}")
"""Cheap pre-filter: every check contains one of these."""

_TESTS = re.compile(rf"\b(?:tests?|{'|'.join(TEST_RUNNERS)})\b")
_PICKED = re.compile(
    r"(?<!\S)(?:--?run|-k|-t|-g|--grep|--filter|--tests?|--testNamePattern|--test-name-pattern|-Dtest|--gtest_filter)"
    r"(?:=|\s+)(?P<value>\"[^\"\n]*\"|'[^'\n]*'|[^\s|&;<>-][^\s|&;<>]*)"
    r"|::(?P<node>\w[\w:]*)|\bcargo (?:nextest run|test)\s+(?P<name>[A-Za-z_][\w:]*)"
)
_EITHER = re.compile(r"\||\s+or\s+|,")
_SCANNED, _RUNS = 2_000, 50

_SHELL_NOISE = re.compile(
    r"^cd \S+ (?:&&|⏎) | 2>&1(?=\s|$)|\s*\|\s*(?:head|tail)(?: -[^\s;&|)]+| \d+)*(?=\s*(?:$|;|&&|\|\||⏎))"
)
_CD = re.compile(r"(?:^|[;&|(\n]\s*)(?:cd|git -C) (\"[^\"]*\"|'[^']*'|\S+)(?=\s|$)")
_NO_FOLDER = re.compile(r"[^\n]{0,80}?\bcd:(?:\d+:)? ")  # what a shell says of a folder that is not there
_NO_PROGRAM = re.compile(
    r"\A[^\n]{0,80}(?:: command not found(?:: \S+)?|\bsh: (?:line )?\d+: \S+: not found)\s*\Z"
    r"|This is not the \w+ command you are looking for"
)
_OWN_TOOLS = EDIT_TOOLS | shell.READ_TOOLS | shell.LOOKUP_TOOLS | {"ExitPlanMode", "TodoWrite", "Skill"}
_OWN_WORDS = re.compile(r"Agent type '|Blocked: |InputValidationError|Unknown skill|No such tool available")
_LOOKUP = re.compile(
    r"(?:cd \S+ (?:&&|;|⏎) )?"
    r"(?:ls|cat|find|grep|rg|which|head|tail|stat|wc|test|tree|pwd|command|type|file|sed -n"
    r"|echo|printf|jq|for|git (?:-C \S+ )?(?:show|log|diff|status|blame|grep|ls-files|branch|rev-parse)"
    r"|gh (?:api|(?:pr|issue|run|repo) (?:view|list|diff|status)))\b"
)


def last_check(facts: Facts, *, lints: bool = True) -> Command | None:
    """The last run of a check, without `lints` of one that does more than lint."""
    ran = (command for command in reversed(all_commands(facts)) if command.outcome in ("ok", "failed"))
    ran = (command for command in ran if lints or not all(map(_LINT.search, _checks_in(command.text))))
    return next((command for command in ran if is_check(command.text) and did_run(command)), None)


def did_run(command: Command) -> bool:
    """Whether anything ran: it was not refused, and the program and what it ran in were there."""
    missing = _NO_FOLDER.match(command.output) or (
        _NO_PROGRAM.search(command.output) and len(programs_run(command.text)) < 2
    )
    return command.outcome != "rejected" and not missing


def is_check(command: str) -> bool:
    return _HINT.search(command) is not None and any(map(_CHECK.match, programs_run(command)))


def all_commands(facts: Facts) -> tuple[Command, ...]:
    """The commands of the session with the checks of its subagents, in the order in which they ran."""
    if not facts.agent_checks:
        return facts.commands
    return tuple(in_order((*facts.commands, *facts.agent_checks)))


def last_checks(facts: Facts) -> list[Command]:
    """The last run of each kind of check, the last one at the end."""
    last: list[tuple[frozenset[str], frozenset[str], Command]] = []
    for command in all_commands(facts):
        checks, tests = _checks_in(command.text), selected_tests(command.text)
        if checks and command.outcome in ("ok", "failed") and did_run(command):
            older = (  # without what ran again: `build && test` may be run again part by part
                (known - checks if covers(tests, some, before.output) else known, some, before)
                for known, some, before in last
            )
            last = [*[each for each in older if each[0]][-_RUNS:], (checks, tests, command)]
    return [command for _, _, command in last]


@lru_cache(maxsize=8192)
def bare_command(text: str, home: str = "") -> str:
    """The normal form of a command line: on one line, without trailing filters and a ``cd`` within `home`."""
    line = command_line(text)
    kept = " " if home and not is_inside(folder_of(line, home), home) else ""
    return _SHELL_NOISE.sub("", kept + line).removeprefix(kept)


def folder_of(command: str, home: str) -> str:
    """The first folder that a command line enters, `home` if none; "" if its words do not tell."""
    moved = _CD.search(command)
    folder = moved[1].strip("\"'") if moved else home
    return "" if folder[:1] in ("~", "$", "-") else absolute(folder, home)


def worth_telling(error: ErrorFact) -> bool:
    """Whether an error is about the project.

    A slip of the model with its own tools, such as an edit that did not match, and a lookup of something
    missing do not count; nor do Claude Code's own messages about a call.
    """
    if _OWN_WORDS.match(error.message):
        return False
    if error.tool in shell.SHELL_TOOLS:
        return not is_lookup(error.target) and not _NO_FOLDER.match(error.message)
    return error.tool not in _OWN_TOOLS


def is_lookup(command: str) -> bool:
    return _LOOKUP.match(command) is not None


def selected_tests(command: str) -> frozenset[str]:
    """The tests that a command line selects by name; empty if it runs them all."""
    text = command[:_SCANNED]
    if _TESTS.search(text) is None:
        return frozenset()
    values = (match["value"] or match["node"] or match["name"] for match in _PICKED.finditer(text))
    names = (name.strip("\"'^$() ") for value in values for name in _EITHER.split(value))
    return frozenset(name for name in names if name)


def covers(passed: frozenset[str], failed: frozenset[str], message: str) -> bool:
    """Whether success of a run of the tests `passed` proves that an earlier run of `failed` would now pass.

    The output of the failed run, `message`, may name the tests that failed. No names are all tests.
    """
    if not passed:
        return True
    if not failed:
        return any(name in message for name in passed)
    return all(any(one in name for one in passed) for name in failed)


_MASKS = re.compile(
    rf"\|\s*(?:{'|'.join(shell.FILTERS)})\b"
    r"|\|\|\s*(?:true|echo|:|exit 0)|;\s*(?:echo|true|exit 0)\b"
)
_RUNNER_SAID = (
    r"npm (?:ERR!|error) |make(?:\[\d+\])?: \*\*\* |error Command failed|error: Recipe |.?ELIFECYCLE\b"
)
_SAID = re.compile(
    r"(?m)^(?:--- FAIL: | ?FAIL(?:ED)?[ \t]+\S|FAIL$|exit status [1-9]|test result: FAILED"
    rf"|{_RUNNER_SAID}|\*\* TEST FAILED \*\*"
    r"|error\[E\d{4}\]: |error: (?:could not compile|aborting due|test failed)"
    r"|Found [1-9]\d* errors?\b(?!.*\b0 remaining)|[1-9]\d* issues?[:.][ \t]*$"
    r"|[\w./-]+\.go:\d+:\d+: \S|\S+:\d+:\d+: (?:fatal )?error: )"
    r"|\b[1-9]\d* (?:failed|errors?)\b[^\n]{0,80} in \d[\d.]*s"
    r"|^[ \t]*(?:Tests|Test Suites|Test Files):?[ \t][^\n]{0,80}\b[1-9]\d* failed"
    rf"|{_NO_PROGRAM.pattern}"
    r"|\berror TS\d{4}:|✖ \d+ problems? \([1-9]|\bELIFECYCLE\b|\bBUILD FAIL(?:ED|URE)\b|ERROR task failed"
)
"""Lines that test runners, compilers and linters print on failure."""
_TASK_FAILED = re.compile(rf"(?m)^(?:{_RUNNER_SAID})")
_RAISED = re.compile(r"^(?:Traceback \(most recent call last\):|Exception in thread )", re.MULTILINE)
_MOVES_COMMITS = re.compile(
    r"(?:git|gt) (?:am|cherry-pick|commit|create|fetch|merge|modify|pull|push|rebase|submit|sync)\b"
)
_REFUSED = re.compile(r"^(?: ! \[(?:remote )?rejected\] |(?:error|fatal|ERROR): )", re.MULTILINE)
"""Lines that git, and Graphite, which runs it, print on failure."""
_DONE_AFTER_ALL = re.compile(r"(?m)^(?:\s*(?:\+ )?\S+\.\.+\S+\s+\S+ -> | ?\[[^\]\n]+ [0-9a-f]{7,}\] )")
"""Lines that git prints of a push or a commit that it has made."""
_LONGEST = 8_000
_AROUND = 500  # length of the context shown around such a line, in characters


def hides_outcome(command: str) -> bool:
    """Whether a command line returns the exit status of something other than its check."""
    return _MASKS.search(command) is not None and "pipefail" not in command


_STATUS = re.compile(r"; *echo +\"?(?P<before>[^\"'$\n;]*)\$\?\"?\s*$")


def printed_status(command: str, output: str) -> int | None:
    """The exit status that a command line without a pipe prints last: ``make; echo "exit: $?"``."""
    asked = _STATUS.search(command)
    if asked is None or not shell.shows_outcome(command[: asked.start()]):
        return None
    said = output.rstrip().rpartition("\n")[2].removeprefix(asked["before"])
    return int(said) if said.isdecimal() else None


def hidden_failure(command: str, output: str) -> str:
    """The failure that a command printed although its line exited with 0; "" for none.

    A traceback of Python tells, as does what a check, or git, prints whose exit status is hidden.
    """
    runs = "python" in command and any(each.startswith("python") for each in programs_run(command))
    if runs and (raised := _RAISED.search(output)) and not is_check(command):
        return masked(output[raised.start() :])[:_LONGEST]
    if not hides_outcome(command):
        return ""
    if (status := printed_status(command, output)) is not None and is_check(command):
        return masked(output)[-_AROUND:] if status else ""
    said = _REFUSED.search(output) if any(map(_MOVES_COMMITS.match, programs_run(command))) else None
    if said is None or _DONE_AFTER_ALL.search(output, said.end()):
        runner = any(each.partition(" ")[0] in shell.TASK_RUNNERS for each in programs_run(command))
        output = masked(output)[-_LONGEST:] if runner or is_check(command) else ""
        said = (_SAID if is_check(command) else _TASK_FAILED).search(output)
    return masked(output)[max(0, said.start() - _AROUND) : said.end() + _AROUND] if said else ""


PASSED = re.compile(
    r"(?m)\b[1-9]\d* passed\b|^test result: ok\b|^ok[ \t]+\S+[ \t]|^BUILD SUCCESS|^All checks passed|^PASS\b"
    r"|^Success: no issues found|^Found 0 errors|^(?:\[[\w:.-]+\] )?0 (?:errors|issues)\b|^OK(?: \(|$)"
)


_PICKS = re.compile(r"\|\s*grep\b(?![^|]*(?:fail|err))", re.IGNORECASE)
_HEAD = re.compile(r"\|\s*head\b(?:\s+-(?:n\s*)?(\d+))?")
_SAYS_LITTLE = re.compile(r"\|\s*(?!head\b|tail\b)\w|\|\||/dev/null|(?<!2)>(?!&)")
NO_OUTPUT = "completed with no output)"  # end of what Claude Code writes in place of an empty output


def hidden_success(command: str, output: str) -> bool:
    """Whether a check that hides its exit status and printed no failure printed its success, or nothing."""
    if not hides_outcome(command):
        return False
    if (status := printed_status(command, output)) is not None:
        return status == 0
    if not is_check(command):
        return False
    if not output.strip() or output.endswith(NO_OUTPUT):
        return _SAYS_LITTLE.search(command) is None
    # A filter may have left out lines, in which failures may stand.
    cut = any(output.strip().count("\n") + 1 >= int(most or 10) for most in _HEAD.findall(command))
    return not cut and _PICKS.search(command) is None and PASSED.search(output[-_LONGEST:]) is not None


def passes_again(command: Command, failed: str, message: str) -> bool:
    """Whether a successful command ran all checks of one that failed before with a message.

    So do others of its kind on the same target, as ``go vet ./api`` after ``go build ./api``.
    """
    checks, now = _checks_in(failed), _checks_in(command.text)
    same_kind = now and (_TESTS.search(command.text) or not _TESTS.search(failed))
    same_target = not _targets(failed).isdisjoint(_targets(command.text))
    covered = bool(checks) and (checks <= now or bool(same_kind and same_target))
    return covered and covers(selected_tests(command.text), selected_tests(failed), message)


def _targets(command: str) -> set[tuple[str, ...]]:
    """Programs with what they ran on, whatever they did with it: ``go ./api`` for ``go vet ./api``."""
    parts = ((words[0], *words[2:]) for words in shell.segments(command))
    return {part for part in parts if not all(word.startswith("-") for word in part[1:])}


def _checks_in(command: str) -> frozenset[str]:
    """The checks that the parts of a command line run: ``pytest`` for ``uv run pytest``."""
    found = ((thing, match) for thing in programs_run(command) if (match := _CHECK.match(thing)))
    return frozenset(_RUN.sub(" ", thing[len(match["runner"] or "") :], count=1) for thing, match in found)


_BETWEEN = ("pub", "global", "package")
"""Words between a package manager and its verb, or between the verb and the packages."""
_REMOVE = ("uninstall", "remove", "rm", "un")
_VALUE_OPTIONS = """
-r --requirement -c --constraint -e --editable -i --index-url --extra-index-url -t --target --prefix
--registry -C --dir -w --workspace --filter -F --features --group -G --python -p --cwd --source --version
--git --branch --tag --rev --path --channel -n --name --root --index --extra
"""
_TAKES_VALUE = frozenset(_VALUE_OPTIONS.split())
_FOR_DEVELOPMENT = frozenset({"-D", "--save-dev", "--dev", "-d"})
_PACKAGE = re.compile(r"@?[A-Za-z][\w./@:\[\],=<>~^!*+-]*")
_NO_PACKAGE = re.compile(r"package$|\.{0,2}/|.*\.(?:whl|tgz|tar\.gz|txt|toml)$|\.|.*\$|https?:")


def package_changes(facts: Facts) -> dict[str, Source]:
    """One line for each package change, in order.

    Of `a || b` only one needs to have succeeded, and nothing says which.
    """
    return {
        change: command.source
        for command in facts.commands
        if command.outcome in ("ok", "background") and "||" not in command.text
        for words in shell.segments(command.text)
        if (change := _change(words, command))
    }


def _change(words: list[str], command: Command) -> str:
    """What a part of a command line does to packages: ``added zod (npm install)``; "" for nothing."""
    if words[0].startswith("python") and words[1:3] == ["-m", "pip"]:
        words = words[2:]
    words = words[1:] if words[:2] == ["uv", "pip"] else words
    manager, plain = name_of(words[0]), [word for word in _arguments(words) if word not in _BETWEEN]
    bare = (word.strip("'\"") for word in plain[1:])
    packages = [word for word in bare if _PACKAGE.fullmatch(word) and not _NO_PACKAGE.match(word)]
    verbs = (*PACKAGE_MANAGERS[manager], *_REMOVE) if manager in PACKAGE_MANAGERS else ()
    if not packages or plain[0] not in verbs:
        return ""
    names, verb = ", ".join(packages), plain[0]
    how = ", in the background" if command.outcome == "background" else ""
    how = how or (", exit status hidden" if hides_outcome(command.text) and not command.passed else "")
    if verb in _REMOVE:
        return f"{'tried to remove' if how else 'removed'} {names} ({manager}{how})"
    development = ", for development" if _FOR_DEVELOPMENT & set(words) else ""
    return f"{'tried to add' if how else 'added'} {names} ({manager} {verb}{development}{how})"


def _arguments(words: list[str]) -> list[str]:
    """The arguments of a command, without options and their values."""
    kept: list[str] = []
    takes_value = False
    for word in words[1:]:
        if not takes_value and not word.startswith("-"):
            kept.append(word)
        takes_value = word in _TAKES_VALUE and not takes_value
    return kept
