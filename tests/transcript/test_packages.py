"""Packages by the commands that added or removed them."""

from __future__ import annotations

import pytest

from memtui.transcript.checks import package_changes, packages_of
from memtui.transcript.records import Command, Facts, FileFact, Outcome


def ran(text: str, outcome: Outcome = "ok") -> Command:
    return Command(text, "", outcome, None, "")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm install lodash zod@3", "added lodash, zod@3 (npm install)"),
        ("cd app && npm i -D @types/node 2>&1", "added @types/node (npm i, for development)"),
        ("npm i zod | tail -5", "tried to add zod (npm i, exit status hidden)"),
        ("pnpm --filter web add react", "added react (pnpm add)"),
        ("yarn add --dev 'vitest@^1.0'", "added vitest@^1.0 (yarn add, for development)"),
        ("pip install -r requirements.txt fastapi[all]>=0.1", "added fastapi[all]>=0.1 (pip install)"),
        ("python3 -m pip install requests", "added requests (pip install)"),
        ("uv pip install httpx", "added httpx (pip install)"),
        ("uv add --group dev pytest", "added pytest (uv add)"),
        ("poetry add pendulum", "added pendulum (poetry add)"),
        ("cargo add serde --features derive", "added serde (cargo add)"),
        ("go get github.com/sergi/go-diff@v1.2.0", "added github.com/sergi/go-diff@v1.2.0 (go get)"),
        ("sudo apt-get install -y jq", "added jq (apt-get install)"),
        ("npm uninstall moment", "removed moment (npm)"),
        ("dotnet add package Serilog", "added Serilog (dotnet add)"),
        ("npm i zod || npm i zod --legacy-peer-deps", "added zod (npm i)"),
        ("npm install \\\n  zod \\\n  lodash", "added zod, lodash (npm install)"),
        ("cd app || exit 1; npm i zod", "added zod (npm i)"),
        ("CI=1 timeout 60 npm install left-pad", "added left-pad (npm install)"),
    ],
)
def test_a_package(command: str, expected: str) -> None:
    assert tuple(package_changes(Facts(commands=(ran(command),)))) == (expected,)


@pytest.mark.parametrize(
    "command",
    [
        "npm install",
        "npm ci",
        "pip install -r requirements.txt",
        "pip install -e .",
        "pip install ./dist/memtui-1.0.whl",
        "npm run add lodash && npm test",
        'git commit -m "npm install lodash; done"',
        "cat <<'EOF' > x.sh\nnpm install lodash\nEOF",
        "go build ./...",
        "echo npm install lodash",
        "go install ./cmd/tool",
        "uv pip install pytest || pipx install tox",
        "pip install jq 2>/dev/null || which jq",
        "which jq || apt-get install -y jq",
    ],
)
def test_no_package(command: str) -> None:
    assert tuple(package_changes(Facts(commands=(ran(command),)))) == ()


def test_a_manifest_that_was_edited() -> None:
    files = (FileFact("/w/package.json", 2, False), FileFact("/w/a.py", 1, False))
    assert tuple(package_changes(Facts(modified_files=files))) == (
        "/w/package.json: edited by hand; it lists the dependencies",
    )


def test_packages_come_from_the_command_alone() -> None:
    assert packages_of("cd app && npm install zod @types/node --save-dev && npm test") == [
        "zod (npm)",
        "@types/node (npm)",
    ]
    assert packages_of("sudo apt-get install -y python3-pip") == ["python3-pip (apt-get)"]
    assert packages_of("uv pip install -r requirements.txt") == []
    assert (
        packages_of("git commit -m \"$(cat <<'EOF'\nUse npm install instead of npm ci to avoid it\nEOF\n)\"")
        == []
    )
    assert packages_of('git commit -m "go get it done"') == []
    assert packages_of("npm install") == []
