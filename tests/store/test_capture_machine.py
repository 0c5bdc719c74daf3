"""Reviews, their undo and other people's edits in any order: no work is lost."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memtui.formats.capture import parse_capture
from memtui.ground.project import Project
from memtui.store.captures import AlreadyReviewed, CaptureProblem
from memtui.store.content_restore import UndoProblem
from memtui.store.listing import Entry
from tests.disk import names
from tests.store.captures import MEMORY, RecordedCaptures, add_capture
from tests.store.undoing import Undo

NUMBERS = st.integers(0, 2)


class Reviews(RuleBasedStateMachine):
    """The files as they should be, against the files as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp()) / "app"
        self.root.mkdir()
        self.project = Project(self.root)
        self.store = RecordedCaptures(self.project)
        self.files: dict[str, bytes] = {}
        self.listed: dict[str, Entry] = {}
        self.undos: list[tuple[Undo, dict[str, bytes], dict[str, bytes]]] = []

    def teardown(self) -> None:
        shutil.rmtree(self.root.parent)

    @initialize()
    def begin(self) -> None:
        self.capture(0)
        self.capture(1)

    @rule(number=NUMBERS)
    def capture(self, number: int) -> None:
        path = self.project.compacts / names_of(number)[0]
        if path.name not in self.files:
            add_capture(self.project, number)
            self.files[path.name] = path.read_bytes()

    @rule()
    def list(self) -> None:
        self.listed = {entry.name: entry for entry in self.store.entries()}

    @rule(number=NUMBERS, summary=st.text(max_size=8), stale=st.booleans())
    def review(self, number: int, summary: str, stale: bool) -> None:
        capture, memory = names_of(number)
        if not stale:
            self.list()
        if capture not in self.listed:
            return
        before = self.files.get(capture)
        try:
            review = self.store.reviewed(self.listed[capture], memory=MEMORY, summary=summary)
        except AlreadyReviewed:
            assert before is not None
            assert parse_capture(before.decode()).status == "reviewed"
            event("reviewed already")
            return
        except CaptureProblem:
            now = {entry.name: entry for entry in self.store.entries()}
            assert self.listed[capture] != now.get(capture)
            event("changed meanwhile")
            return
        assert before is not None
        name = review.memory_path.name
        assert name not in self.files
        assert name == memory or memory in self.files
        after = (self.project.compacts / capture).read_bytes()
        assert parse_capture(after.decode()).memory == name
        made = {capture: after, name: review.memory_path.read_bytes()}
        event("reviewed")
        self.undos.append((review.undo, {capture: before}, made))
        self.files |= made

    @precondition(lambda self: self.undos)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        undo, before, after = data.draw(st.sampled_from(self.undos))
        unchanged = all(
            self.files.get(name) in (content, before.get(name)) for name, content in after.items()
        )
        try:
            undo.run()
        except UndoProblem:
            assert not unchanged
            event("not undone")
        else:
            assert unchanged
            event("undone")
            for name in after:
                self.files.pop(name, None)
            self.undos.remove((undo, before, after))
            self.files |= before

    @precondition(lambda self: self.files)
    @rule(data=st.data(), text=st.sampled_from([b"\n## More\n\nmine\n", b"\n"]))
    def edit(self, data: st.DataObject, text: bytes) -> None:
        name = data.draw(st.sampled_from(sorted(self.files)))
        self.files[name] += text
        (self.project.compacts / name).write_bytes(self.files[name])

    @precondition(lambda self: self.files)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.files)))
        del self.files[name]
        (self.project.compacts / name).unlink()

    @invariant()
    def files_are_as_they_should_be(self) -> None:
        if self.project.compacts.exists():
            found = {
                name: (self.project.compacts / name).read_bytes() for name in names(self.project.compacts)
            }
            found.pop(".gitignore", None)
            assert found == self.files


def names_of(number: int) -> tuple[str, str]:
    """A capture's name and that of its memory file."""
    stem = f"20251225_08{15 + number}00"
    return f"{stem}-autocompact.md", f"{stem}-memory.md"


TestReviews = Reviews.TestCase
TestReviews.settings = settings(max_examples=15, stateful_step_count=25)
