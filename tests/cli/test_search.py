"""``memtui search``: what was said and done, in sessions, memories, captures and states."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.documents.capture import Capture, capture_name, render_capture
from memtui.documents.markdown import Section
from memtui.documents.memory import MemoryMeta, StoredMemory, render_stored
from memtui.ground.files import lock
from memtui.ground.project import Project, claude_config, memtui_home, transcript_slug
from memtui.store import search_index
from memtui.store.search_query import KINDS, parse_search, quoted
from tests.cli.conftest import Memtui
from tests.faults import read_only
from tests.store.furnishing import furnish
from tests.transcripts import Transcript

NOW = datetime(2026, 1, 2, 10, 15, tzinfo=UTC)
TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture(autouse=True)
def claude(project: Project) -> Path:
    claude = claude_config()
    t = Transcript(session_id="s-1", cwd=str(project.root))
    t.user(f"Port the lamp driver with {TOKEN}")
    t.tool("Bash", "ok", command="make lamp \x1b[2J")
    t.say("The lamp driver is ported.")
    t.write(claude / "projects" / transcript_slug(project.root.resolve()), "s-1.jsonl")
    other = Transcript(session_id="s-2", cwd="/elsewhere")
    other.user("Paint the lamp")
    other.write(claude / "projects" / "-elsewhere", "s-2.jsonl")
    return claude


def test_sessions_and_memories_are_found(memtui: Memtui, tmp_path: Path) -> None:
    text = tmp_path / "recovery.md"
    text.write_text("## Objective\n\nFix the lamp driver\n")
    assert memtui("memory", "import", str(text)).code == 0
    done = memtui("search", "lamp", "driver")
    assert done.code == 0
    rows = done.out.splitlines()
    assert rows[0] == "Sessions  1"
    assert rows[1].split()[0] == "s-1" and "Port the lamp driver" in rows[1]
    assert [row.split()[0] for row in rows if row.startswith("    L")] == ["L4", "L1", "L2"]
    assert "Memories  1" in rows and TOKEN not in done.out


def test_filters_and_json(memtui: Memtui) -> None:
    (group,) = json.loads(memtui("search", "cmd:make", "--in", "sessions", "--json").out)
    (row,) = group["results"]
    assert (row["name"], row["line"], row["what"], row["more"]) == ("s-1", 2, "command", [])
    assert "\x1b" not in memtui("search", "cmd:make").out
    nothing = memtui("search", "lamp", "--since", "2027")
    assert (nothing.code, "Nothing was found; with --all" in nothing.out) == (1, True)
    found = memtui("search", "lamp", "--since", "2027", "--in", "claude,states").out
    assert "Nothing was found under Claude's memories, Session states;" in found
    assert memtui("search", "lamp", "--since", "2027", "--json").code == 1


def test_what_ran_before_the_project_was_moved_is_found_and_says_where(
    memtui: Memtui, claude: Path, project: Project
) -> None:
    folder = claude / "projects" / transcript_slug(project.root.resolve())
    t = Transcript(session_id="s-3", cwd="/old/shop")
    t.user("Polish the lamp")
    t.write(folder, "s-3.jsonl")
    same_slug = Transcript(
        session_id="s-4", cwd=str(project.root.resolve()).replace("/", "-").replace("-", "/", 1)
    )
    same_slug.user("Sell the lamp")
    same_slug.write(folder, "s-4.jsonl")
    rows = memtui("search", "lamp").out.splitlines()
    assert "  s-3  Polish the lamp  in shop" in rows and not any("s-4" in row for row in rows)


@pytest.mark.parametrize("options", [("--in", "nowhere"), ("--since", "soon")])
def test_wrong_options_say_what_is_right(memtui: Memtui, options: tuple[str, str]) -> None:
    done = memtui("search", "lamp", *options)
    assert done.code == 2 and options[0] in done.err


def test_pins_are_found_and_lead_to_their_lines(memtui: Memtui) -> None:
    assert memtui("pin", "never push the lamp to main").code == 0
    rows = memtui("search", "push", "lamp", "--in", "pins").out.splitlines()
    assert rows[0] == "Pins  1" and rows[1].strip() == "pin 1  never push the lamp to main"
    assert memtui("search", "push", "in:pins").out.splitlines()[:2] == rows[:2]
    assert "Pins" not in memtui("search", "push", "in:memories").out


def test_all_of_a_capture_is_found(memtui: Memtui, project: Project) -> None:
    capture = Capture(
        status="pending",
        timestamp=NOW,
        session_id="s-1",
        transcript="/t.jsonl",
        first_message="You are a careful porter.\n\nPort it",
        header="**Trigger:** auto",
        extra=(Section(heading="Recent files", text="- src/lamp_shade.py"),),
    )
    project.compacts.mkdir(parents=True)
    path = project.compacts / capture_name(NOW)
    path.write_text(render_capture(capture))
    for words in ("trigger", "lamp_shade", "recent files", path.name):
        rows = memtui("search", words, "in:captures").out.splitlines()
        assert rows[0] == "Captures  1" and "  Port it  pending" in rows[1], words


def test_a_subagent_is_named_and_opens(memtui: Memtui, claude: Path, project: Project) -> None:
    t = Transcript(session_id="s-1", cwd=str(project.root))
    t.envelope["isSidechain"] = True
    t.user("Look for the hinge")
    t.say("It is in the door")
    folder = claude / "projects" / transcript_slug(project.root.resolve()) / "s-1" / "subagents"
    t.write(folder, "agent-a1.jsonl")
    rows = memtui("search", "hinge").out.splitlines()
    assert rows[1].split()[0] == "s-1" and rows[2].split()[0] == "L1" and rows[2].endswith("ask  agent-a1")
    assert "It is in the door" in memtui("transcript", "agent-a1", "--at", "2").out
    assert "no subagent" in memtui("transcript", "agent-b").err


NAMES = {
    "session": "s-3",
    "memory": "CMEM-20260102-101500",
    "Claude's memory": "hinge.md",
    "memory file": "20260102_100000-memory.md",
    "capture": "20260102_100000-autocompact.md",
    "state": "s-3",
    "pin": "pin 1",
}
"""The names of the results of this project, by kind."""


@pytest.fixture
def furnished(project: Project, tmp_path: Path, claude: Path, memtui: Memtui) -> Path:
    """Something of each kind about a hinge, here and in another project."""
    other = tmp_path / "other"
    home = memtui_home()
    for number, (root, session) in enumerate(((project.root, "s-3"), (other, "s-4"))):
        furnish(root, home, session, "hinge")
        t = Transcript(session_id=session, cwd=str(root.resolve()))
        t.user("Oil the hinge")
        t.write(claude / "projects" / transcript_slug(root.resolve()), f"{session}.jsonl")
        meta = MemoryMeta(
            id=f"CMEM-2026010{number + 2}-101500",
            created=NOW,
            updated=NOW,
            project=str(root),
            session_id=session,
        )
        path = home.memories / "2026-01" / f"{meta.id}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(render_stored(StoredMemory(meta=meta, body=b"The hinge creaks")))
    return other


def found(memtui: Memtui, *words: str) -> dict[str, set[str]]:
    """The names of the results by their kinds."""
    groups = json.loads(memtui("search", *words, "--json").out)
    return {group["kind"]: {row["name"] for row in group["results"]} for group in groups if group["results"]}


@pytest.mark.usefixtures("furnished")
def test_every_kind_is_found_here_or_everywhere(memtui: Memtui) -> None:
    assert found(memtui, "hinge") == {kind: {name} for kind, name in NAMES.items()}
    everywhere = found(memtui, "hinge", "--all")
    assert everywhere["session"] == everywhere["state"] == {"s-3", "s-4"}
    assert everywhere["memory"] == {"CMEM-20260102-101500", "CMEM-20260103-101500"}
    groups = json.loads(memtui("search", "hinge", "--all", "--json").out)
    assert {group["kind"]: len(group["results"]) for group in groups} == dict.fromkeys(NAMES, 2)
    assert [group["total"] for group in groups] == [2] * 7


@pytest.mark.usefixtures("furnished")
@pytest.mark.parametrize(("word", "kind"), zip(KINDS, NAMES, strict=True))
def test_in_finds_one_kind_alone(memtui: Memtui, word: str, kind: str) -> None:
    expected = {kind: {NAMES[kind]}}
    assert found(memtui, "hinge", f"in:{word}") == found(memtui, "hinge", "--in", word) == expected


@pytest.mark.usefixtures("furnished")
@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        ("hinge before:2026-01-02", set()),
        ("hinge after:2026-01-03", {"state", "Claude's memory"}),  # written now
        ("hinge after:yesterday", {"state", "Claude's memory"}),
        ("hinge after:2w before:today", set()),
        ("hinge after:2026-01-02 before:2026-01-03", {"session", "memory", "memory file", "capture"}),
        ("file:hinge", set()),
        ("cmd:hinge", set()),
        ("hinge in:captures,states before:2026-01-03", {"capture"}),
        ("project:other hinge", set(NAMES)),
        ("project:nowhere hinge", set()),
        ("hinges", set(NAMES)),
        ('"the hinge"', set(NAMES) - {"state"}),
        ("in:claude once a year", {"Claude's memory"}),
        ("never hinge in:pins", {"pin"}),
    ],
)
def test_filters_hold_for_every_kind(memtui: Memtui, words: str, kinds: set[str]) -> None:
    assert set(found(memtui, *words.split())) == kinds


@pytest.mark.usefixtures("furnished")
def test_a_filter_that_is_not_understood_is_named(memtui: Memtui) -> None:
    done = memtui("search", "hinge", "in:barn", "before:lunch")
    assert done.err == (
        f"“barn” is searched as a word: in: takes {', '.join(KINDS)}.\n"
        "“lunch” is searched as a word: before: takes 2026-02-23, 2026-02, today, yesterday, 7d or 2w.\n"
    )


@pytest.mark.usefixtures("furnished")
def test_all_projects_but_private_ones(memtui: Memtui, furnished: Path, tmp_path: Path) -> None:
    config = memtui_home().config / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f'[archive]\nprivate = ["{furnished}"]\n')
    assert found(memtui, "hinge", "--all") == found(memtui, "hinge")
    assert len(found(memtui, "hinge", "--root", str(furnished))) == 7


@pytest.mark.usefixtures("furnished")
def test_what_is_forgotten_is_not_found(memtui: Memtui, claude: Path) -> None:
    assert "s-3" in memtui("search", "hinge").out
    next(claude.rglob("s-3.jsonl")).unlink()
    assert memtui("archive", "forget", "s-3", "--yes").code == 0
    assert not list(memtui_home().cache.glob("index.db"))
    # Memory, memory file and pin stay, as is said.
    assert set(found(memtui, "hinge")) == {"memory", "Claude's memory", "memory file", "pin"}


def test_an_index_that_cannot_be_written_is_named(memtui: Memtui) -> None:
    memtui_home().cache.parent.mkdir()
    with read_only(memtui_home().cache.parent):
        done = memtui("search", "lamp")
    assert str(memtui_home().cache) in done.err and "the disk is read-only" in done.err and done.code == 1


@pytest.fixture
def said(claude: Path, project: Project) -> Callable[..., Path]:
    """Writes a session of these messages: what is asked and what Claude says, in turn."""

    def write(session: str, *texts: str) -> Path:
        t = Transcript(session_id=session, cwd=str(project.root))
        for number, text in enumerate(texts):
            (t.say if number % 2 else t.user)(text)
        return t.write(claude / "projects" / transcript_slug(project.root.resolve()), f"{session}.jsonl")

    return write


def sessions(memtui: Memtui, *words: str) -> list[tuple[str, list[int]]]:
    """The sessions found, and the lines of each that are shown."""
    group = next(
        each for each in json.loads(memtui("search", *words, "--json").out) if each["kind"] == "session"
    )
    return [(row["name"], [row["line"], *(each["line"] for each in row["more"])]) for row in group["results"]]


def test_a_question_finds_what_answers_it(memtui: Memtui, said: Callable[..., Path]) -> None:
    said("s-5", "Why is the door red?", "We dropped the blue paint as it cracked in the frost.")
    said("s-6", "Sort the screws", "They are sorted by length.", "And the paint?", "It is in the shed.")
    assert sessions(memtui, "why", "did", "we", "stop", "using", "blue", "paint", "outside?")[0][0] == "s-5"
    assert sessions(memtui, "how are the screws sorted?")[0] == ("s-6", [1, 2])


def test_exact_words_come_first_then_all_then_any(memtui: Memtui, said: Callable[..., Path]) -> None:
    said("any", "the valve leaks and the valve rattles")
    said("all", "close the valve before winter, as it may leak " + "and so on " * 40)
    said("exact", "mind the winter valve " + "and so on " * 80)
    assert [name for name, _ in sessions(memtui, "winter valve")] == ["exact", "all", "any"]


def test_three_lines_of_a_session_are_shown(memtui: Memtui, said: Callable[..., Path], claude: Path) -> None:
    path = said("s-7", *(f"The gasket, part {number}" for number in range(29)))
    copied = claude / "projects" / "-before" / path.name
    copied.parent.mkdir()
    shutil.copy(path, copied)
    ((name, lines),) = sessions(memtui, "gasket")
    assert name == "s-7" and len(set(lines)) == 3
    printed = memtui("search", "gasket").out
    assert printed.count("    L") == 3 and "(29 lines)" in printed


def test_lines_that_read_the_same_are_shown_once(memtui: Memtui, said: Callable[..., Path]) -> None:
    said("s-7", *["Run the gasket"] * 4, "A gasket leaks somewhere", "Where is that gasket kept")
    ((_, lines),) = sessions(memtui, "gasket")
    assert set(lines) >= {5, 6}


def test_versions_and_times_are_found_as_a_whole(memtui: Memtui, said: Callable[..., Path]) -> None:
    said("whole", "Release v0.3.0 at 10:30")
    said("apart", "The v0 took 3 of 10, 0 of 30", "Not v0.3.01")
    for word in ("v0.3.0", "0.3.0", "10:30", "V0.3.0 nosuch", '"Release v0.3.0"'):
        assert sessions(memtui, word) == [("whole", [1])], word
    assert parse_search("0.3.0").marks("v0.3.0") == [(1, 6)]
    assert parse_search("v0.3.0").marks("v0 3 file3.go /0 v0.3.01 v0.3.0.") == [(25, 31)]


def test_summaries_and_texts_of_skills_are_found_once_and_behind(
    memtui: Memtui, claude: Path, project: Project
) -> None:
    for session in ("s-21", "s-22"):
        t = Transcript(session_id=session, cwd=str(project.root))
        t.slash("flue", text="NEVER sweep the flue by hand")
        t.compaction(summary="The grate is clean, the flue is not")
        t.say("Now the flue is swept as well, with a rope.")
        t.write(claude / "projects" / transcript_slug(project.root.resolve()), f"{session}.jsonl")
    ((first, lines),) = sessions(memtui, '"never sweep the flue"')
    found = json.loads(memtui("search", "grate", "in:sessions", "--json").out)[0]["results"]
    assert lines == [2] and {row["name"] for row in found} >= {first} and len(found) == 2
    assert {(row["line"], row["what"]) for row in found} == {(4, "summary")}
    assert [sorted(lines[:2]) for _, lines in sessions(memtui, "flue")] == [[1, 5], [1, 5]]


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("我们决定不用缓存，因为数据会过期", ["为什么不用缓存", "缓存", "期"]),
        ("キャッシュは使わないことにした", ["なぜキャッシュを使わない？", "キャッシュ", "した"]),
        ("캐시를 쓰지 않기로 했다", ["캐시는 왜 쓰지 않나", "캐시"]),
        ("call getUserById in src/user_store/by_id.py", ["user by id", "getuser", "user_store"]),
        ("Die Tür wird geöffnet", ["tur", "GEÖFFNET"]),
        ("the connections were refused", ["connection", "refuse", "connecting"]),
    ],
)
def test_scripts_identifiers_and_forms(
    memtui: Memtui, said: Callable[..., Path], text: str, questions: list[str]
) -> None:
    said("s-8", text)
    assert {question for question in questions if sessions(memtui, question)[:1] != [("s-8", [1])]} == set()


def test_quotes_and_filters_narrow(memtui: Memtui, claude: Path, project: Project) -> None:
    t = Transcript(session_id="s-9", cwd=str(project.root))
    t.user("Make the boiler quieter")
    t.tool("Edit", "ok", file_path="/p/src/boiler.py", old_string="a", new_string="b")
    t.user("Now look at the boiler's pump")
    t.tool("Read", "ok", file_path="/p/src/pump.py")
    t.tool("Bash", "ok", command="make test-pump")
    t.write(claude / "projects" / transcript_slug(project.root.resolve()), "s-9.jsonl")
    for words, lines in {
        "boiler edited:boiler.py": {1, 2},
        "boiler read:pump": {4},
        "read:src/pump.py": {5},
        "boiler file:pump.p": {4},
        "cmd:test-pump": {7},
        "boiler cmd:make": {4},
        "edited:pump.py": set(),
        '"the boiler quieter"': {1},
        '"boiler the quieter"': set(),
    }.items():
        found = sessions(memtui, words)
        assert {line for _, some in found for line in some} == lines, words
    assert sessions(memtui, "nosuch:thing boiler")  # no filter: words


def test_a_word_inside_another_is_no_hit_and_what_is_nowhere_is_named(
    memtui: Memtui, said: Callable[..., Path]
) -> None:
    said("s-16", "An overwhelming amount of paint", "Take the helmet off before painting.")
    assert "Nothing was found" in memtui("search", 'paint "blue paint"').out
    done = memtui("search", "overwhelming whelm zebra")
    assert done.out.endswith("Not found: whelm, zebra.\n") and "s-16" in done.out
    (group, *_) = json.loads(memtui("search", "helm zebra", "--json").out)
    assert group["missing"] == ["zebra"]
    (row,) = group["results"]
    assert (row["line"], row["more"]) == (2, [])  # the beginning of a word, as there is no such word


ODD = ("AND OR", "NEAR(", "-x", "--force", "a AND", "x:y", "text:q", "\ud800", '""', *"\"(*'^{")


@pytest.mark.parametrize("words", ODD)
def test_odd_input_is_text(memtui: Memtui, words: str) -> None:
    done = memtui("search", words, "lamp")
    assert (done.code, done.err) == (0, "") and "s-1" in done.out
    assert memtui("search", f"{words} nothingofthesort").code == 1


@given(st.text(max_size=40))
def test_any_text_is_a_query(text: str) -> None:
    wanted = parse_search(text)
    assert wanted.snippet(text)[0] is not None
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        terms = (part for parts in wanted.terms().values() for part in parts)
        for match in (*map(quoted, wanted.phrases), *terms):
            connection.execute("SELECT count(*) FROM words WHERE words MATCH ?", (match,)).fetchall()
        if wanted.words:
            connection.execute("SELECT count(*) FROM words WHERE words MATCH ?", (wanted.exact(),)).fetchall()


def test_titles_are_what_a_person_asked(memtui: Memtui, said: Callable[..., Path]) -> None:
    command = "<command-message>deploy</command-message><command-name>/deploy</command-name>"
    said("s-10", command, "Deploying.", "Please mend the gutter", "Done.")
    (row,) = json.loads(memtui("search", "gutter", "--json").out)[0]["results"]
    assert row["title"] == "Please mend the gutter"
    path = said("s-17", "/plan:implement 8003", "It is done.", "Now paint the gutter red")
    with path.open("a") as file:
        file.write('{"type":"ai-title","aiTitle":"A red gutter"}\n')
    said("s-18", "/plan:implement 8004", "It is done.", "Now paint the gutter blue")
    rows = json.loads(memtui("search", "gutter", "--json").out)[0]["results"]
    titles = {row["name"]: row["title"] for row in rows}
    assert (titles["s-17"], titles["s-18"]) == ("A red gutter", "Now paint the gutter blue")
    listed = json.loads(memtui("sessions", "--json").out)
    assert titles.items() <= {row["id"]: row["title"] or row["first_ask"] for row in listed}.items()
    said("s-19", "/plan:implement", "The gutter is blue.")
    rows = json.loads(memtui("search", "gutter", "--json").out)[0]["results"]
    assert "/plan:implement · main" in {row["title"] for row in rows}


def test_what_is_private_or_secret_is_not_in_the_index(memtui: Memtui, said: Callable[..., Path]) -> None:
    said("s-11", f"the kettle <private>whistles</private> {TOKEN}", "Yes")
    assert sessions(memtui, "kettle") and not sessions(memtui, "whistles")
    assert not sessions(memtui, TOKEN) and "whistles" not in memtui("search", "kettle").out
    data = memtui_home().search_index.read_bytes()
    assert TOKEN.lower().encode() not in data.lower() and b"whistl" not in data


def test_half_of_a_secret_is_not_in_the_index(memtui: Memtui, said: Callable[..., Path]) -> None:
    longest = f"eyJ{'kLmN0' * 400}"  # goes on behind all that is looked at
    said("s-15", f"The lantern {'is lit ' * 2_850}, then {longest}", "Yes")
    assert sessions(memtui, "lantern") and not sessions(memtui, "kLmN0")


def test_what_a_session_adds_is_found_and_what_is_gone_is_not(
    memtui: Memtui, said: Callable[..., Path]
) -> None:
    path = said("s-12", "Fill the kettle", "Filled.")
    assert sessions(memtui, "kettle") == [("s-12", [1])]
    more = Transcript(session_id="s-12")
    more.user("Descale the kettle")
    with path.open("ab") as file:
        file.write(more.data)
    assert sessions(memtui, "descale") == [("s-12", [3])] and len(sessions(memtui, "kettle")) == 1
    said("s-12", "Something else")
    assert not sessions(memtui, "kettle") and sessions(memtui, "else")
    path.unlink()
    assert not sessions(memtui, "else")


def test_a_damaged_index_is_made_anew(memtui: Memtui) -> None:
    assert sessions(memtui, "lamp")
    path = memtui_home().search_index
    sound = path.read_bytes()
    for damaged in (
        b"", b"no database", sound[: len(sound) // 2], sound[:20_000] + b"\xff" * 30_000 + sound[50_000:]
    ):  # fmt: skip
        path.write_bytes(damaged)
        assert sessions(memtui, "lamp"), damaged[:20]


def test_a_locked_index_is_named(memtui: Memtui, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sessions(memtui, "lamp")
    monkeypatch.setattr(search_index, "WAIT", 0.05)
    with closing(sqlite3.connect(memtui_home().search_index, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        done = memtui("search", "lamp")
    assert done.code == 1 and "is locked by another program" in done.err and not done.out


def test_while_another_process_makes_the_index_nothing_is_only_so_far(memtui: Memtui) -> None:
    memtui_home().cache.mkdir(parents=True)
    with lock(memtui_home().search_index):
        done = memtui("search", "lamp")
    assert done.code == 1 and "Nothing was found so far; with" in done.out
    assert "the index is busy or being made" in done.err
    assert memtui("search", "lamp").code == 0


def test_worktrees_share_claudes_memories(
    memtui: Memtui, claude: Path, project: Project, tmp_path: Path
) -> None:
    git = ("git", "-C", str(project.root), "-c", "user.name=a", "-c", "user.email=a@b")
    for words in ("init -q", "commit -q --allow-empty -m one", f"worktree add -q {tmp_path / 'tree'}"):
        subprocess.run([*git, *words.split()], check=True, capture_output=True, timeout=60)
    path = claude / "projects" / transcript_slug(project.root.resolve()) / "memory" / "valve.md"
    path.parent.mkdir(parents=True)
    path.write_text("The valve is closed in winter.\n")
    for root in (project.root, tmp_path / "tree"):
        assert "  valve.md" in memtui("search", "closing valves", "--root", str(root)).out
    (tmp_path / "no").mkdir()
    assert memtui("search", "valve", "--root", str(tmp_path / "no")).code == 1


def test_it_is_made_anew_when_many_rows_are_dead(
    memtui: Memtui, said: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "_FEW", 5)
    for number in range(6):
        said("s-13", *(f"stove {number} {each}" for each in range(4)))
        assert len(sessions(memtui, "stove")) == 1
    with closing(sqlite3.connect(memtui_home().search_index)) as connection:
        query = "SELECT count(file), count(*) FROM words_docsize LEFT JOIN rows USING (id)"
        ((live, rows),) = connection.execute(query)
    assert live <= rows <= live + 5
