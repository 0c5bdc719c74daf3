"""Packaging: everything pinned, every target explained, nothing forgotten in the wheel."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import memtui

ROOT = Path(__file__).parent.parent
PINS = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines())


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _wanted() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    groups = project["project"]["optional-dependencies"].values()
    everything = [
        *project["project"]["dependencies"],
        *project["build-system"]["requires"],
        *(each for group in groups for each in group),
    ]
    return sorted({re.split(r"[^\w.-]", requirement)[0] for requirement in everything})


def test_constraints_are_pins_alone() -> None:
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines():
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.+!]*", line), line


@pytest.mark.parametrize("name", _wanted())
def test_every_dependency_is_pinned(name: str) -> None:
    assert _normal(name) in map(_normal, PINS)


def test_every_target_of_the_makefile_is_explained() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert phony is not None
    # The make that runs the tests must not speak to the one asked here.
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", "help"], cwd=ROOT, env=env, capture_output=True, text=True, check=True, timeout=60
    )
    explained = [line.split()[1] for line in done.stdout.splitlines()]
    assert explained == phony[1].split()


def test_arguments_with_spaces_reach_pytest(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    words = ["make", "test", "READY=", f"PY={python}", "ARGS=-k 'one or two' \"tests/a b\""]
    done = subprocess.run(
        words, cwd=ROOT, env={**env, "LANG": "C"}, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-3:] == ["-k", "one or two", "tests/a b"]


def test_scripts_are_valid_shell() -> None:
    for script in ("setup", "wheel"):
        subprocess.run(["sh", "-n", ROOT / ".ci" / script], check=True, timeout=60)
    subprocess.run(["bash", "-n", ROOT / ".ci" / "run"], check=True, timeout=60)


def test_no_registry_is_named() -> None:
    for name in ("Makefile", "constraints.txt", "pyproject.toml", ".ci/run", ".ci/setup", ".ci/wheel"):
        text = (ROOT / name).read_text("utf-8")
        assert not re.search(r"index-url|--index|find-links|https?://", text), name


def test_the_changelog_tells_of_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(rf"^## \[(Unreleased|{re.escape(memtui.__version__)})\]", text, re.MULTILINE)


def test_the_module_runs_like_the_script() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memtui", "--version"], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == f"memtui {memtui.__version__}\n"
