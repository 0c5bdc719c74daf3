"""Entities named by memories, and memories that share them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memtui.documents.memory import MemoryMeta
from memtui.documents.memory_graph import (
    Entity,
    entities,
    packages,
    path_below,
    path_key,
)
from memtui.documents.recovery import Plan, Recovery, RoleFile

ROOT = "/home/ann/shop"


WHEN = datetime(2026, 1, 1, tzinfo=UTC)
SAID = MemoryMeta(
    id="CMEM-20260101-000000", project="/home/ann/other", created=WHEN, updated=WHEN, session_id="90dd90a0"
)


def test_a_memory_names_each_thing_once() -> None:
    recovery = Recovery(
        session_id="WFS-auth",
        project_root=ROOT,
        objective="See /home/ann/shop/docs/plan.md and https://example.org/a/b.html",
        plan=Plan(content="- [ ] /etc/shop/rates.toml:12 and (/home/ann/shop/src/auth.py)"),
        working_files=(RoleFile(path="/home/ann/shop/src/auth.py", role="x"), RoleFile(path="src/Tax.py:10")),
        reference_files=(RoleFile(path="/home/ann/shop/./src/tax.py"),),
        decisions=(
            "Rotate tokens: nobody logs out",
            "Rotate  tokens - said again",
            "Keep it small. It grows.",
        ),
        dependencies=("zod 3", "npm: zod@4, left-pad (why?)"),
    )
    assert entities(recovery, SAID) == (
        Entity("file", "/home/ann/shop/src/auth.py"),
        Entity("file", "/home/ann/shop/src/Tax.py"),
        Entity("file", "/home/ann/shop/docs/plan.md"),
        Entity("file", "/etc/shop/rates.toml"),
        Entity("decision", "Rotate tokens"),
        Entity("decision", "Keep it small."),
        Entity("package", "zod"),
        Entity("package", "left-pad"),
        Entity("session", "WFS-auth"),
        Entity("session", "90dd90a0"),
        Entity("project", ROOT),
    )


def test_without_a_root_the_store_says_against_what() -> None:
    recovery = Recovery(working_files=(RoleFile(path="a.py"),))
    assert entities(recovery, SAID)[0].name == "/home/ann/other/a.py"
    assert entities(recovery) == (Entity("file", "a.py"),)


@pytest.mark.parametrize(
    "same",
    [
        (
            "D:\\Shop\\src\\auth.py",
            "d:/shop/SRC/auth.py",
            "/mnt/d/shop/src/auth.py",
        ),
    ],
)
def test_spellings_of_one_path(same: tuple[str, ...]) -> None:
    assert len({path_key(path) for path in same}) == 1
    assert path_key("/home/ann/b.py") != path_key("/home/ann/a.py")


@pytest.mark.parametrize(
    ("item", "names"),
    [
        ("pydantic>=2.11", ["pydantic"]),
        ("ioredis 5", ["ioredis"]),
        ("@types/node@20.1 (types)", ["@types/node"]),
        ("uvicorn[standard]>=0.30", ["uvicorn"]),
        ("Added dependencies: lodash, zod", ["lodash", "zod"]),
        ("added `httpx` for the client, and `respx>=1` for its tests", ["httpx", "respx"]),
        ("redis - the cache", ["redis"]),
        ("added async-mutex, zod (npm install, for development) (L17)", ["async-mutex", "zod"]),
        ("C:\\w\\package.json: edited by hand; it lists the dependencies", []),
        ("none added", []),
        ("none", []),
        ("Upgraded the client to version 5", []),
        ("", []),
    ],
)
def test_packages_of_an_item(item: str, names: list[str]) -> None:
    assert packages(item) == names


def test_a_path_below_the_root() -> None:
    assert path_below("D:\\Shop\\src\\a.py", "d:/shop/") == "src\\a.py"
    assert path_below("/s/a.py", "/s") == "a.py"
    assert path_below("/sx/a.py", "/s") == "/sx/a.py"
    assert path_below("a.py", "") == "a.py"
