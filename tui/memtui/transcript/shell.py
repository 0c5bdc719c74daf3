"""Names of tools and programs, and the programs that a command line runs."""

from __future__ import annotations

import re
from functools import lru_cache

EDIT_TOOLS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
READ_TOOLS = frozenset({"Read", "NotebookRead"})
SHELL_TOOLS = frozenset({"Bash", "PowerShell"})
TASK_TOOLS = frozenset({"TaskCreate", "TaskUpdate", "TaskList"})
AGENT_TOOLS = frozenset({"Agent", "Task"})
READ_ONLY_AGENTS = frozenset({"Explore", "Plan"})  # Claude Code's own subagents without edit tools
STOP_TOOLS = frozenset({"TaskStop", "KillShell", "KillBash"})
LOOKUP_TOOLS = frozenset({"Grep", "Glob", "LS", "WebFetch", "WebSearch", "ToolSearch"})
BOOKKEEPING = TASK_TOOLS | {"ToolSearch", "EnterPlanMode", "SendUserMessage", "StructuredOutput", "Brief"}
BOOKKEEPING |= {"TodoWrite", "TodoRead", "TaskGet"}
"""Calls that say nothing about the state of the work."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


TEST_RUNNERS = _names(
    "pytest unittest jest vitest mocha playwright cypress karma rspec phpunit ctest nextest tox nox"
)
LINTERS = _names("""
biome eslint flake8 golangci-lint ktlint mypy pylint pyright rubocop ruff rustc shellcheck staticcheck
stylelint tsc xo
""")
"""With type checkers."""
COMPILERS = _names("gcc g++ clang javac")
FORMATTERS = _names("gofmt prettier rustfmt")
FILTERS = _names("head tail grep egrep rg sed awk tee cat cut less sort uniq wc tr jq xargs")
"""Programs that show part of another one's output."""

_MANAGERS = """
apk add; apt install; apt-get install; brew install; bun add install i; bundle add; cargo add install
composer require; conda install; deno add; dnf install; dotnet add; flutter add; gem install; go get install
hatch add; npm install i add; pdm add; pip install; pip3 install; pipenv install; pipx install
pnpm add install i; poetry add; rye add; uv add; yarn add
"""
PACKAGE_MANAGERS = {
    words[0]: words[1:]
    for line in _MANAGERS.strip().replace("\n", ";").split(";")
    if (words := tuple(line.split()))
}
"""Package managers, each with its words for adding a package."""
TASK_RUNNERS = _names(
    "bun cargo deno dotnet go gradle gradlew just make mise mix mvn npm pnpm rake swift task yarn"
)
"""Programs that run a project's named tasks: ``npm test``, ``make lint``."""
RUNNERS = (frozenset(PACKAGE_MANAGERS) | TASK_RUNNERS) | _names("""
bash dart docker gh git kubectl node npx python python3 ruby sh terraform wrangler
""")
"""Programs that take the program or task to run as arguments."""
TOOLS = RUNNERS | TEST_RUNNERS | LINTERS | COMPILERS | FORMATTERS


_TEXT_LIMIT = 10_000

_PARTS = re.compile(r"[;\n|]|&&")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=\S*\s+")
_REDIRECT = re.compile(r"(?<!\S)(?:\d?>>?\s*(?:&\d|\S+)|<\s*\S+)")
_QUOTED, _SIGNS = re.compile(r"\"[^\"]*\"|'[^']*'"), re.compile(r"[\s;&|]")
_CONDITION = re.compile(r"^if [^;|&\n]*[;\n]\s*then\s(.*?)(?:;\s*else [^;|&\n]*)?[;\n]\s*fi$", re.DOTALL)
_OTHER_STATUS = re.compile(r"[;|\n]|(?<!&)&(?!&)")
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_SILENT = _names("cd echo export sleep source set true printf pwd wait then else fi do")
_PREFIXES = frozenset({"sudo", "time", "nohup", "command", "exec", "env", "if", "while", "!"})
_CHECKERS = TEST_RUNNERS | LINTERS | FORMATTERS
"""Programs named without their arguments: a check of one file counts as that check."""
_FORMATS = (["format"], ["fmt"])  # after a linter: ``ruff format``
_VALUE_OPTIONS = _names("""
-C -c -f -p -w -F --package --prefix --filter --workspace --manifest-path --file --project --directory --dir
--cwd --group --extra --with --python --env-file --namespace --context --config --features --rootdir
""")
"""Options with a value, between a runner and its program: ``uv run --package api pytest``."""
_INNER = frozenset({"run", "exec", "compose", "tool", "-m", "x", "dlx", "pr", "issue", "pip"})


@lru_cache(maxsize=256)  # asked again and again for the same command
def programs_run(command: str) -> frozenset[str]:
    """The programs run by a command line, as ``program subcommand`` for each part.

    Changes of folder, output and filters are left out, so that ``cd app && npm test 2>&1 | tail`` is
    ``npm test``.
    """
    found: set[str] = set()
    filters: set[str] = set()
    for words in segments(command):
        thing = _thing(words)
        program = thing.partition(" ")[0]
        if program and program not in _SILENT:
            (filters if program in FILTERS else found).add(thing)
    return frozenset(found or filters)


def segments(command: str) -> list[list[str]]:
    """The words of each part of a command line, from the program's name on; quoted shell signs become Q.

    Not by shlex, which takes ten times as long; the quoting need not be exact here.
    """
    line = without_heredoc(command)[:_TEXT_LIMIT]
    bare = _QUOTED.sub(lambda found: "Q" if _SIGNS.search(found[0]) else found[0][1:-1], line)
    parts = _PARTS.split(_REDIRECT.sub(" ", bare))
    return [words for part in parts if (words := _from_program(part))]


def outside_quotes(pattern: re.Pattern[str], command: str) -> list[str]:
    """Matches of a pattern, or of its last group, in a command line; each up to the end of its line.

    Here-documents are dropped; quoted text with spaces or shell signs is kept, but nothing is found in it.
    """
    line = without_heredoc(command)[:_TEXT_LIMIT]
    bare = _QUOTED.sub(lambda found: "Q" * len(found[0]) if _SIGNS.search(found[0]) else found[0], line)
    spans = (found.span(found.lastindex or 0) for found in pattern.finditer(bare))
    return [line[slice(*span)].partition("\n")[0].strip() for span in spans]


@lru_cache(maxsize=8192)
def shows_outcome(command: str) -> bool:
    """Whether the exit status is that of the whole command line, or condition: only ``&&`` joins its parts.

    Otherwise it is the status of the last part alone, such as ``tail``.
    """
    bare = _REDIRECT.sub(" ", _QUOTED.sub("Q", without_heredoc(command)[:_TEXT_LIMIT]))
    bare = _CONDITION.sub(r"\1", bare.strip())
    return "pipefail" in bare or _OTHER_STATUS.search(bare) is None


def _from_program(part: str) -> list[str]:
    """The words of a part of a command line, from the program's name on."""
    words = part.strip().lstrip("({ ").split()
    while words and (words[0] in _PREFIXES or _ASSIGNMENT.match(words[0] + " ")):
        words.pop(0)
    if words and words[0] == "timeout":
        words = [word for word in words[1:] if not re.fullmatch(r"-.*|[\d.]+[smh]?", word)]
    return words


def _thing(words: list[str]) -> str:
    program = words[0].replace("\\", "/").rpartition("/")[2]
    if program in _CHECKERS:
        return f"{program} format" if words[1:2] in _FORMATS else program
    if program not in RUNNERS:
        first = next((word for word in words[1:] if not word.startswith("-")), "")
        return f"{program} {first}".strip()
    return " ".join([program, *_subcommand(words[1:])])


def _subcommand(words: list[str]) -> list[str]:
    """The words that name the program or task of a runner: ``run lint``, ``-m pytest``, ``commit``."""
    named: list[str] = []
    takes_value = False
    for at, word in enumerate(words):
        if takes_value or (word.startswith("-") and word != "-m"):
            takes_value = word in _VALUE_OPTIONS and not takes_value
            continue
        bare = word.rpartition("/")[2]
        word = bare if word.startswith("@") and bare in _CHECKERS else word
        named.append(f"{word} format" if word in _CHECKERS and words[at + 1 : at + 2] in _FORMATS else word)
        if word not in _INNER or len(named) == 3:
            break
    return named


def without_heredoc(command: str) -> str:
    """The command line without here-documents; continued lines are joined."""
    command = command.replace("\\\n", " ") if "\\\n" in command else command
    if "<<" not in command:
        return command
    kept: list[str] = []
    lines = iter(command.split("\n"))
    for line in lines:
        kept.append(line)
        for heredoc in _HEREDOC.finditer(line):
            for fed in lines:
                if fed.strip() == heredoc[2]:
                    break
    return "\n".join(kept)
