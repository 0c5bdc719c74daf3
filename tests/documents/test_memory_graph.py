"""Graphs of memories as data and as Mermaid: no label breaks out."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtui.documents.memory_graph import Entity, Graph, Node, graph_of, mermaid

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
