"""Entities and graphs of memories: no label breaks out."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtui.documents.memory import MemoryMeta
from memtui.documents.memory_graph import Entity, Graph, Node, entities, graph_of, mermaid, packages, path_key
from memtui.documents.recovery import Plan, Recovery, RoleFile

AUTH, TAX, SHOP = Entity("file", "/s/auth.py"), Entity("file", "/s/tax.py"), Entity("project", "/s")

HOSTILE = [
    'a"]; n1 -- n2 [URL="http://x"',
    "\\",
    "\\N \\G",
    'x"\n}\nsubgraph evil {',
    '"]\n  click m1 "javascript:alert(1)"',
    "%%{init: {'securityLevel': 'loose'}}%%",
    "<script>alert(1)</script><b>&amp;",
    "`**bold**`",
    "end; m1 --> m2",
    "a\x1b[31m\u2028b\u202ec",
    "1. first",
    "- first",
    "#quot;",
    "\ud800",
]


def test_rarely_named_entities_are_left_out_on_request() -> None:
    graph = graph_of([("CMEM-2", "two", [AUTH, SHOP]), ("CMEM-1", "one", [AUTH, TAX])], least=2)
    assert [node.name for node in graph.nodes] == ["CMEM-2", "CMEM-1", "/s/auth.py"]
    assert len(graph.edges) == 2


def test_drawings() -> None:
    graph = graph_of([("CMEM-20260102-101500", "Fix the tax", [Entity("file", "D:\\a\\b\\c\\d.py"), SHOP])])
    assert mermaid(graph) == (
        "flowchart LR\n"
        '  m1["CMEM-20260102-101500 Fix the tax"]\n'
        '  e1("b/c/d.py")\n'
        '  e2[("#47;s")]\n'
        "  m1 --- e1\n"
        "  m1 --- e2\n"
    )


_MERMAID_NODE = re.compile(r'  [me]\d+[\[({]+"([^"\n]*)"[\])}]+')


@pytest.mark.parametrize("kind", ["memory", "file", "decision", "package", "session", "project"])
def test_hostile_labels_stay_labels(kind: str) -> None:
    for label in HOSTILE:
        _check(kind, label)


@given(st.text())
@example("&quot;")
def test_any_label_stays_a_label(label: str) -> None:
    _check("memory", label)
    _check("file", label)


def _check(kind: str, label: str) -> None:
    graph = Graph((Node("e1", kind, label, label),), ())
    chart = mermaid(graph)
    chart.encode()
    _, node, end = chart.split("\n")
    assert end == ""
    inside = _MERMAID_NODE.fullmatch(node)
    assert inside
    assert not re.search(r"[%{}<>`&\\\[\]*]", inside[1])
    assert not re.search(r"#(?!\d+;)|(?<!\d);", inside[1])
    assert not re.match(r"\d+\.\s|-", inside[1])


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


def test_spellings_of_one_path() -> None:
    same = ("D:\\Shop\\src\\auth.py", "d:/shop/SRC/auth.py", "/mnt/d/shop/src/auth.py")
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
