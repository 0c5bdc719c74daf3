"""`memtui memory`: storing, listing, finding, showing, marking and deleting memories."""

from __future__ import annotations

import json
from functools import partialmethod
from pathlib import Path

import pytest

from memtui.cli import output
from memtui.formats.recovery import Recovery, RoleFile, render_recovery
from memtui.project import Project, memtui_home
from memtui.store.base import NOT_ALL_SEARCHED
from memtui.store.index import SearchIndex
from tests.cli.conftest import Memtui, Result
from tests.cli.memories import TEXT, Pipe, pipe, put, store

__all__ = ["pipe"]

FIRST, SECOND = "CMEM-20260101-080000", "CMEM-20260102-091500"


@pytest.fixture
def two(project: Project) -> Project:
    """Two memories of the project and one of another."""
    put("2026-01-01T08:00:00+00:00", project=project.root, tags=("auth", "Tokens"))
    put("2026-01-02T09:15:00+00:00", "## Objective\nUmsätze für 退款\n", project=project.root)
    put("2026-01-03T10:00:00+00:00", project="/home/ann/other", description="Another one")
    return project


def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda: True)
    for module in ("memory_reading", "core_memory"):
        monkeypatch.setattr(f"memtui.cli.{module}.is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "100")


def test_the_word_alone_prints_help(memtui: Memtui) -> None:
    result = memtui("memory")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("Usage: memtui memory [OPTIONS] COMMAND")
    commands = [line.split()[0] for line in result.out.partition("Commands:\n")[2].splitlines()]
    assert (commands[0], commands[-1]) == ("import", "graph")
    assert result == memtui("memory", "--help")


def test_list_is_tab_separated_when_piped(memtui: Memtui, two: Project) -> None:
    assert memtui("memory", "list") == Result(
        0,
        f"{SECOND}\t2026-01-02 09:15\t\tUmsätze für 退款\t\tshop\n"
        f"{FIRST}\t2026-01-01 08:00\t\tRotate the refresh tokens\tauth, Tokens\tshop\n",
        "",
    )


def test_list_as_json(memtui: Memtui, two: Project) -> None:
    page = json.loads(memtui("memory", "list", "--json", "--limit", "1", "--offset", "1").out)
    path = memtui_home().memories / "2026-01" / f"{FIRST}.md"
    assert page == {
        "total": 2,
        "memories": [
            {
                "id": FIRST,
                "path": str(path),
                "title": "Rotate the refresh tokens",
                "project": str(two.root),
                "created": "2026-01-01T08:00:00+00:00",
                "updated": "2026-01-01T08:00:00+00:00",
                "description": "",
                "tags": ["auth", "Tokens"],
                "session_id": "",
                "source": "import",
                "author": "",
                "archived": False,
                "pinned": False,
                "superseded_by": "",
                "supersedes": [],
                "problem": "",
                "secrets": [],
                "files": {"named": 0, "changed": 0, "gone": 0, "by_git": False, "stale": []},
            }
        ],
    }


def test_a_memory_that_holds_a_secret_is_listed_as_such_and_stays_as_it_is(
    memtui: Memtui, project: Project
) -> None:
    token = "gh" + "p_" + "a1B2" * 9
    (project.root / "note.md").write_text(f"## Objective\nRotate {token}\n")
    done = memtui("memory", "import", "note.md", "--json")
    memory = json.loads(done.out)["id"]
    row = memtui("memory", "list").out.splitlines()[0].split("\t")
    assert (row[0], row[2]) == (memory, "holds a secret")
    (listed,) = json.loads(memtui("memory", "list", "--json").out)["memories"]
    assert listed["secrets"] == ["github token"]
    assert json.loads(memtui("memory", "show", memory, "--json").out)["memory"]["secrets"] == ["github token"]
    assert token in memtui("memory", "export", memory).out


def test_list_with_filters(memtui: Memtui, two: Project) -> None:
    def ids(*words: str) -> list[str]:
        return [line.split("\t")[0] for line in memtui("memory", "list", *words).out.splitlines()]

    assert ids("--all") == ["CMEM-20260103-100000", SECOND, FIRST]
    assert ids("--tag", "tokens", "--tag", "AUTH") == [FIRST]
    assert memtui("memory", "archive", FIRST).out == f"Archived {FIRST}.\n"
    assert (ids(), ids("--archived")) == ([SECOND], [FIRST])
    assert memtui("memory", "unarchive", FIRST).code == 0
    memtui("memory", "pin", SECOND)
    assert memtui("memory", "list", "--limit", "1").out.split("\t")[2] == "pinned"
    memtui("memory", "unpin", SECOND)
    assert memtui("memory", "list", "--limit", "1").out.split("\t")[2] == ""


def test_what_a_limit_leaves_out_is_reported_beside_the_list(memtui: Memtui, two: Project) -> None:
    result = memtui("memory", "list", "--limit", "1")
    assert (result.out.count("\n"), result.err) == (1, "1 more; see them with --limit or --offset 1.\n")
    assert memtui("memory", "list", "--offset", "5").out == "There are only 2.\n"


def test_a_terminal_gets_a_table(memtui: Memtui, two: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    _terminal(monkeypatch)
    head, first, *_ = memtui("memory", "list").out.splitlines()
    assert head.split() == ["ID", "Time", "State", "Title", "Tags", "Project"]
    assert first.startswith(f"{SECOND}  2026-01-02 09:15 ")


def test_nothing_there_is_a_sentence(memtui: Memtui, project: Project) -> None:
    assert memtui("memory", "list").out == "No memories of shop; --all looks in all projects.\n"
    assert memtui("memory", "list", "--all").out.startswith("No memories yet.")
    assert "with the tag x" in memtui("memory", "list", "--tag", "x").out
    assert json.loads(memtui("memory", "list", "--json").out) == {"total": 0, "memories": []}
    assert memtui("memory", "trash").out == "The trash is empty.\n"


def test_a_search_without_hits_ends_like_grep(memtui: Memtui, two: Project) -> None:
    done = memtui("memory", "search", "no", "such")
    assert (done.code, done.out) == (1, "")
    assert done.err == "Nothing found for 'no such' in shop; --all looks in all projects.\n"
    as_json = memtui("memory", "search", "nosuch", "--json")
    assert (as_json.code, json.loads(as_json.out)["total"]) == (1, 0)


def test_words_in_one_argument_are_a_phrase(memtui: Memtui, project: Project) -> None:
    put("2026-01-01T08:00:00+00:00", body=b"the tax rule and the rounding", project=str(project.root))
    assert memtui("memory", "search", "rule", "tax").code == 0
    assert memtui("memory", "search", "tax rule").code == 0
    assert memtui("memory", "search", '"tax rule" rounding').code == 0
    assert memtui("memory", "search", "rule tax").code == 1


def test_a_project_without_a_name_is_called_by_its_path(memtui: Memtui, project: Project) -> None:
    assert memtui("memory", "list", "--root", "/").out == "No memories of /; --all looks in all projects.\n"
    put("2026-01-01T08:00:00+00:00", project="/")
    assert memtui("memory", "list", "--root", "/").out.endswith("\t/\n")


@pytest.mark.parametrize(
    "words", [("memory", "list"), ("memory", "search", "x"), ("captures",), ("compact",), ()]
)
def test_a_current_folder_that_is_gone_is_a_sentence(
    memtui: Memtui, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    result = memtui(*words)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("memtui: the current folder does not exist any more")
    assert result.err.count("\n") == 1


def test_what_the_trash_lacks_is_looked_for_in_its_own_list(memtui: Memtui, two: Project) -> None:
    memtui("memory", "delete", FIRST)
    assert "see `memtui memory trash`" in memtui("memory", "undelete", "nope").err


def test_a_broken_memory_is_listed_with_its_reason(memtui: Memtui, two: Project) -> None:
    path = memtui_home().memories / "2026-01" / f"{FIRST}.md"
    path.write_text("---\nid: [\n---\n")
    line = next(line for line in memtui("memory", "list", "--all").out.splitlines() if FIRST in line)
    assert line.split("\t")[2] == "broken"
    result = memtui("memory", "show", FIRST)
    assert (result.code, result.out) == (1, "")
    assert "is broken" in result.err and result.err.count("\n") == 1


def test_search(memtui: Memtui, two: Project) -> None:
    (line,) = memtui("memory", "search", "退款").out.splitlines()
    assert line.split("\t")[:3] == [SECOND, "2026-01-02 09:15", "Umsätze für 退款"]
    found = json.loads(memtui("memory", "search", "refresh", "--all", "--json").out)
    assert (found["total"], found["complete"]) == (2, True)
    (hit, _) = found["hits"]
    assert hit.keys() == {"memory", "snippet", "marks", "score"}
    assert [hit["snippet"][start:end].casefold() for start, end in hit["marks"]][:1] == ["refresh"]
    result = memtui("memory", "search", "refresh", "--all", "--limit", "1")
    assert result.err == "2 match in all; see more with --limit or --offset.\n"


def test_search_says_when_it_could_not_look_at_all(
    memtui: Memtui, two: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    memtui_home().cache.write_text("in the way of the index")
    monkeypatch.setattr(SearchIndex, "search", partialmethod(SearchIndex.search, budget=-1))
    found = memtui("memory", "search", "refresh", "--json")
    assert json.loads(found.out) == {"total": 0, "complete": False, "hits": []}
    assert found.err == memtui("memory", "search", "refresh").err == f"{NOT_ALL_SEARCHED}\n"


def test_search_marks_what_matched(memtui: Memtui, two: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    _terminal(monkeypatch)
    monkeypatch.setattr(output, "_console", _ansi)
    out = memtui("memory", "search", "REFRESH").out
    assert f"\x1b[1m{FIRST}\x1b[0m" in out
    assert "\x1b[1mrefresh\x1b[0m" in out


def _ansi() -> object:
    from rich.console import Console

    return Console(force_terminal=True, color_system="standard", width=100, highlight=False, markup=False)


def test_show(memtui: Memtui, two: Project) -> None:
    out = memtui("memory", "show", "20260101").out
    about, checklist, text = out.split("\n\n", 2)
    assert about.splitlines() == [
        f"{FIRST}:", f"- project: {two.root}", "- created: 2026-01-01 08:00", "- tags: auth, Tokens",
        "- source: import",
    ]  # fmt: skip
    assert checklist.startswith("Checklist:\n- ")
    assert text == TEXT + "\n"
    shown = json.loads(memtui("memory", "show", FIRST, "--json").out)
    assert shown["memory"] == json.loads(memtui("memory", "list", "--json").out)["memories"][1]
    assert (shown["text"], shown["size"]) == (TEXT, len(TEXT.encode()))
    assert {point["verdict"] for point in shown["checklist"]} <= {"pass", "warn", "fail"}
    assert shown["checklist"]


def test_show_on_a_terminal_is_clean(
    memtui: Memtui, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory_id = put("2026-01-01T08:00:00+00:00", b"a \x1b[2J \xff b", description="x\x1b]0;y\x07")
    _terminal(monkeypatch)
    out = memtui("memory", "show", memory_id).out + memtui("memory", "export", memory_id).out
    assert "\x1b" not in out
    assert "␛[2J" in out
    assert "Checklist" not in out


@pytest.mark.parametrize(
    ("words", "tags"),
    [
        (("--add", "new,auth"), ("auth", "Tokens", "new")),
        (("--add", "#auth, #new,NEW"), ("auth", "Tokens", "new")),
        (("--remove", "TOKENS"), ("auth",)),
        (("--remove", "#tokens"), ("auth",)),
        (("--add", "a b", "--remove", "auth", "--add", "c"), ("Tokens", "a b", "c")),
        (("--set", "x, y,x"), ("x", "y")),
        (("--set", ""), ()),
        ((), ("auth", "Tokens")),
    ],
)
def test_tags(memtui: Memtui, two: Project, words: tuple[str, ...], tags: tuple[str, ...]) -> None:
    assert memtui("memory", "tag", FIRST, *words).out == f"{FIRST}: {', '.join(tags) or 'no tags'}\n"
    stored = store().get(FIRST)
    assert (stored.meta.tags, stored.body) == (tags, TEXT.encode())


def test_set_goes_alone(memtui: Memtui, two: Project) -> None:
    assert memtui("memory", "tag", FIRST, "--set", "a", "--add", "b").code == 2


def test_delete_and_back(memtui: Memtui, two: Project) -> None:
    deleted = memtui("memory", "delete", "cmem-20260101")
    assert deleted.out == f"Deleted {FIRST}. To bring it back: memtui memory undelete {FIRST}\n"
    assert FIRST not in memtui("memory", "list", "--all").out
    assert memtui("memory", "trash").out.startswith(f"{FIRST}\t")
    assert json.loads(memtui("memory", "trash", "--json").out)["total"] == 1
    result = memtui("memory", "show", FIRST)
    assert result.code == 1
    assert "undelete" in result.err
    assert memtui("memory", "undelete", "2026").out == f"{FIRST} is back.\n"
    assert memtui("memory", "undelete", FIRST).code == 1
    assert store().get(FIRST).body == TEXT.encode()


def test_operations_answer_in_the_response_format(memtui: Memtui, two: Project) -> None:
    for operation in ("tag", "archive", "unarchive", "pin", "unpin", "delete", "undelete"):
        answer = json.loads(memtui("memory", operation, FIRST, "--json").out)
        assert answer.keys() == {"operation", "id", "message"}
        assert (answer["operation"], answer["id"]) == (operation, FIRST)


@pytest.mark.parametrize("word", ["show", "export", "tag", "archive", "pin", "delete", "related", "undelete"])
def test_an_unknown_id_is_one_sentence(memtui: Memtui, two: Project, word: str) -> None:
    for wanted in ("CMEM-20260101-080001", "2027", "../../etc/passwd", "a\x1b[2J\nb", "", "\udc80"):
        result = memtui("memory", word, wanted)
        assert (result.code, result.out) == (1, ""), wanted
        assert result.err.startswith("memtui: ")
        assert result.err.count("\n") == 1, wanted
        assert "\x1b" not in result.err
        if wanted.startswith("CMEM") and word != "undelete":
            assert FIRST in result.err


def test_a_beginning_is_looked_for_in_this_project_first(memtui: Memtui, two: Project) -> None:
    put("2026-01-01T09:00:00+00:00", b"another project's", project="/elsewhere")
    assert memtui("memory", "export", "20260101").out == TEXT
    result = memtui("memory", "export", "202601")
    assert (result.code, result.out) == (1, "")
    assert SECOND in result.err
    other = put("2026-01-04T09:00:00+00:00", b"only there", project="/elsewhere")
    assert memtui("memory", "export", "--id", other[:13]).out == "only there"


def test_export_to_a_file_writes_over_nothing(memtui: Memtui, two: Project, tmp_path: Path) -> None:
    target = tmp_path / "out.md"
    assert memtui("memory", "export", FIRST, "--output", str(target)) == Result(0, "", "")
    assert target.read_bytes() == TEXT.encode()
    result = memtui("memory", "export", SECOND, "--output", str(target))
    assert (result.code, "there already" in result.err) == (1, True)
    assert target.read_bytes() == TEXT.encode()


@pytest.mark.parametrize("word", [FIRST, FIRST.lower(), FIRST[5:], FIRST[5:18]])
def test_a_deleted_memory_is_reported_however_its_id_is_given(
    memtui: Memtui, two: Project, word: str
) -> None:
    memtui("memory", "delete", FIRST)
    result = memtui("memory", "show", word)
    assert result.code == 1
    assert f" has no memory {word}: " in result.err
    assert result.err.endswith(f" is in the trash, and `memtui memory undelete {FIRST}` brings it back.\n")


def test_export_as_json(memtui: Memtui, two: Project) -> None:
    told = {"operation": "export", "id": FIRST, "content": TEXT, "exact": True}
    assert json.loads(memtui("memory", "export", FIRST, "--json").out) == told
    told = json.loads(
        memtui("core-memory", "export", "--id", put("2026-01-05T10:00:00+00:00", b"a\xff"), "--json").out
    )
    assert (told["content"], told["exact"]) == ("a\ufffd", False)
    assert memtui("memory", "export", FIRST, "--json", "--output", "x").code == 2


def test_export_names_one_memory(memtui: Memtui, two: Project) -> None:
    assert memtui("memory", "export").code == 2
    assert memtui("memory", "export", FIRST, "--id", FIRST).code == 2


def test_related_and_graph(memtui: Memtui, two: Project) -> None:
    assert memtui("memory", "related", FIRST).out.split("\t") == [
        "CMEM-20260103-100000", "Another one", "/home/ann/shop/src/auth.py, /home/ann/shop\n",
    ]  # fmt: skip
    (relation,) = json.loads(memtui("memory", "related", FIRST, "--json").out)
    assert relation["shared"][0] == {"kind": "file", "name": "/home/ann/shop/src/auth.py"}
    assert memtui("memory", "related", SECOND).out == f"No other memory names what {SECOND} names.\n"
    drawn = json.loads(memtui("memory", "graph", "--all").out)
    assert [node["kind"] for node in drawn["nodes"]].count("memory") == 3
    assert len(drawn["edges"]) == 5
    assert memtui("memory", "graph", "--all", "--json").out == memtui("memory", "graph", "--all").out
    assert memtui("memory", "graph", "--format", "dot", "--all").out.count(" -- ") == 4
    assert memtui("memory", "graph", "--format", "mermaid").out.startswith("flowchart LR\n")


def test_import_of_files(memtui: Memtui, project: Project, tmp_path: Path, pipe: Pipe) -> None:
    source = tmp_path / "a text.md"
    source.write_bytes(b"\xef\xbb\xbf\r\n\xff---\r\nx")
    first = memtui(
        "memory", "import", str(source), "--tags", "a, b", "--tags", "c", "--description", " d ", "--json"
    )
    answer = json.loads(first.out)
    assert answer == {
        "operation": "import", "id": answer["id"], "message": f"Created memory: {answer['id']}",
    }  # fmt: skip
    stored = store().get(answer["id"])
    assert stored.body == source.read_bytes()
    assert (stored.meta.project, stored.meta.tags, stored.meta.description) == (
        str(project.root), ("a", "b", "c"), "d",
    )  # fmt: skip
    pipe(b"piped\n")
    assert memtui("memory", "import", "-").out.startswith("Created memory: CMEM-")
    assert memtui("memory", "import", "--file", str(source)).code == 0
    assert memtui("memory", "import", str(source), "--file", str(source)).code == 2


@pytest.mark.parametrize("data", [b"", b" \r\n\t "])
def test_an_empty_text_is_refused(memtui: Memtui, project: Project, pipe: Pipe, data: bytes) -> None:
    pipe(data)
    assert memtui("memory", "import") == Result(
        1, "", "memtui: standard input is empty; nothing was imported.\n"
    )
    (project.root / "empty.md").write_bytes(data)
    assert "'empty.md' is empty" in memtui("memory", "import", "empty.md").err
    assert store().list().total == 0


def test_files_that_cannot_be_read(memtui: Memtui, project: Project) -> None:
    (project.root / "folder").mkdir()
    for name, says in (("nowhere.md", "does not exist"), ("folder", "is a folder")):
        result = memtui("memory", "import", name)
        assert (result.code, result.out) == (1, "")
        assert name in result.err and says in result.err


def test_a_terminal_is_not_waited_for(memtui: Memtui, project: Project, pipe: Pipe) -> None:
    pipe(b"typed\n", terminal=True)
    result = memtui("memory", "import")
    assert (result.code, result.out) == (2, "")
    assert "there is no text: name a file" in result.err
    asked = memtui("memory", "import", "-")
    assert asked.code == 0
    assert "ctrl+d" in asked.err


def test_a_closed_standard_input_is_reported(
    memtui: Memtui, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    result = memtui("memory", "import")
    assert (result.code, result.out) == (1, "")
    assert "standard input is closed" in result.err


def test_a_superseded_memory_says_so_everywhere_and_undo_takes_it_back(memtui: Memtui, two: Project) -> None:
    done = memtui("memory", "supersede", "20260101", "20260102")
    assert done == Result(0, f"{FIRST} is superseded by {SECOND}.\n", "")
    assert [line.split("\t")[2] for line in memtui("memory", "list").out.splitlines()] == ["", "superseded"]
    new, old = json.loads(memtui("memory", "list", "--json").out)["memories"]
    assert (old["superseded_by"], new["supersedes"]) == (SECOND, [FIRST])
    assert f"superseded by: {SECOND}" in memtui("memory", "show", FIRST).out
    assert f"supersedes: {FIRST}" in memtui("memory", "show", SECOND).out
    assert memtui("restore", "--id", FIRST).out.startswith(f"{FIRST} is superseded by {SECOND}.\n\nNotes on")
    assert memtui("memory", "supersede", FIRST, SECOND).out.endswith(" already.\n")
    assert memtui("memory", "supersede", SECOND, FIRST).err.count("\n") == 1
    assert memtui("undo").out.startswith(f"Undone: {FIRST} is superseded by {SECOND}")
    new, old = json.loads(memtui("memory", "list", "--json").out)["memories"]
    assert (old["superseded_by"], new["supersedes"]) == ("", [])


def test_superseding_is_taken_back_by_its_own_option(memtui: Memtui, two: Project) -> None:
    memtui("memory", "supersede", FIRST, SECOND)
    done = memtui("memory", "supersede", FIRST, "--undo", "--json")
    assert json.loads(done.out)["message"] == f"{FIRST} is not superseded any more."
    assert memtui("memory", "supersede", FIRST, "--undo").err == f"memtui: {FIRST} is not superseded.\n"
    assert memtui("memory", "supersede", FIRST).code == 2
    assert memtui("memory", "supersede", FIRST, SECOND, "--undo").code == 2
    assert "CMEM-2099" in memtui("memory", "supersede", FIRST, "CMEM-2099").err


def test_a_stale_memory_is_marked_listed_alone_and_says_so_when_it_is_restored(
    memtui: Memtui, two: Project
) -> None:
    names = ("src/auth.py", "src/login.py")
    recovery = Recovery(
        project_root=str(two.root),
        objective="Stale",
        working_files=tuple(RoleFile(path=f"{two.root}/{name}") for name in names),
    )
    stale = put("2026-01-04T08:00:00+00:00", render_recovery(recovery), project=two.root)
    fresh = put("2036-01-04T08:00:00+00:00", render_recovery(recovery), project=two.root)
    (two.root / "src").mkdir()
    (two.root / "src" / "auth.py").write_text("x")
    rows = [line.split("\t") for line in memtui("memory", "list").out.splitlines()]
    assert [(row[0], row[2]) for row in rows[:2]] == [(fresh, "1 gone"), (stale, "1/2 changed, 1 gone")]
    (two.root / "src" / "login.py").write_text("x")
    listed = [line.split("\t")[0] for line in memtui("memory", "list", "--stale").out.splitlines()]
    assert listed == [stale, FIRST]  # the first one names the file by its path on another machine
    page = json.loads(memtui("memory", "list", "--stale", "--json").out)
    files = page["memories"][0]["files"]
    assert (page["total"], files["changed"], files["gone"], files["by_git"]) == (2, 2, 0, False)
    assert [(each["path"], each["by"]) for each in files["stale"]] == [(name, "time") for name in names]
    assert "2 of 2 files changed since (by their times: without git):\n- changed: src/auth.py" in (
        memtui("memory", "show", stale).out
    )
    first = memtui("restore", "--id", stale).out.partition("\n")[0]
    assert first == (
        f"{stale} may be stale: 2 of 2 files changed since (by their times: without git) "
        "(src/auth.py, src/login.py)."
    )
    assert memtui("restore", "--id", fresh).out.startswith("Notes on")
    assert memtui("memory", "list", "--stale", "--tag", "x").out.startswith("No memory names a file")
