"""Facts as groups of lines to choose from."""

from __future__ import annotations

from pathlib import Path

from memtui.documents.events import EvidenceGroup, evidence
from memtui.transcript.records import Action, Facts
from tests.documents.made import answer, at, changed, commit, failed, plan, ran, todo, turn

ROOT = Path("/work/kiln")
FACTS = Facts(
    turns=(turn(1, "Build a kiln", "Built.", "I dig first."), turn(10, "fire it", "Fired.")),
    modified_files=(changed("/work/kiln/src/a.py", 4, times=2),),
    todos=(todo("dig", "completed", 5), todo("fire", "in_progress", 6)),
    plans=(plan("# A kiln\n\n1. dig", "approved", 3, "/p/calm.md"),),
    answers=(answer("Which clay?", "red", 2),),
    errors=(failed("npm test", 7),),
    commands=(ran("npm test", 7, "failed", "Error: duplicate key"), ran("ls", 8)),
    landmarks=(commit("dig", 9),),
    last_action=Action("Bash", "ls", "ok", "a b", source=at(8)),
)


def group(title: str) -> EvidenceGroup:
    return next(each for each in evidence(FACTS, ROOT) if each.title == title)


def texts(title: str) -> list[str]:
    return [item.text for item in group(title).items]


def test_every_line_names_its_source() -> None:
    assert texts("Tasks") == ["[x] dig (L5 09:00)", "[>] fire (L6 09:00)"]
    assert texts("Settled") == [
        'red: the user\'s answer to "Which clay?" (L2 09:00)',
        'plan "A kiln" approved (/p/calm.md): the user approved it (L3 09:00)',
    ]
    assert texts("Open, by the record") == ["fire (in progress) (L6 09:00)"]
    assert texts("Failures")[0].startswith("Bash `npm test` failed at L7, 1 command since, the last one ok: ")
    assert texts("Commands") == ["✓ ls (L8 09:00)", "✗ npm test (L7 09:00)"]
    assert texts("Commits and pull requests") == ["abc1234 dig (L9 09:00)"]
    assert [item.line for item in group("Commands").items] == [8, 7]


def test_a_file_is_its_path_alone() -> None:
    (file,) = group("Files modified").items
    assert (file.text, file.detail, file.line) == ("src/a.py", "2 edits, L4 09:00", 4)


def test_of_a_capture_alone_nothing_is_said_to_be_open() -> None:
    (open_, _) = evidence(Facts(from_capture=True, first_prompt="Build a kiln"), ROOT)
    assert [item.text for item in open_.items] == ["only the capture is known: its transcript is gone"]
