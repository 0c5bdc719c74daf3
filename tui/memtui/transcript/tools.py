"""Names of tools: Claude Code's own, and the programs run by its commands."""

from __future__ import annotations

EDIT_TOOLS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
READ_TOOLS = frozenset({"Read", "NotebookRead"})
SHELL_TOOLS = frozenset({"Bash", "PowerShell"})
TASK_TOOLS = frozenset({"TaskCreate", "TaskUpdate", "TaskList"})
AGENT_TOOLS = frozenset({"Agent", "Task"})
LOOKUP_TOOLS = frozenset({"Grep", "Glob", "LS", "WebFetch", "WebSearch", "ToolSearch"})
BOOKKEEPING = TASK_TOOLS | {
    "TodoWrite", "TodoRead", "TaskGet", "ToolSearch", "EnterPlanMode", "SendUserMessage",
    "StructuredOutput", "Brief",
}  # fmt: skip
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
