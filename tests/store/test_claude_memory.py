"""Claude's own memories: listed, checked, changed, and traced to the calls that wrote them."""

from __future__ import annotations

import json
import os
import random
import re
from datetime import timedelta
from difflib import SequenceMatcher
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from memtui.ground.clock import Clock
from memtui.ground.files import FileChanged, FileProblem
from memtui.ground.project import Home, Places, Project, memtui_home
from memtui.store.claude_history import ClaudeHistory, Version
from memtui.store.claude_memory import INDEX, ClaudeMemories, ClaudeMemory
from tests.transcripts import START, Transcript


@pytest.fixture
def places(tmp_path: Path) -> Places:
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    return Places(Project(root), memtui_home(), tmp_path.parent / ".claude")


@pytest.fixture
def memories(places: Places) -> ClaudeMemories:
    return ClaudeMemories(places, ticking())


def ticking() -> Clock:
    """A clock that goes on by a second whenever it is read."""
    seconds = count()
    return lambda: START + timedelta(seconds=next(seconds))


def memory_text(name: str, body: str, kind: str = "feedback") -> str:
    return f"---\nname: {name}\ndescription: About {name}\nmetadata:\n  type: {kind}\n---\n\n{body}\n"


def write(memories: ClaudeMemories, name: str, text: str) -> Path:
    memories.folder.mkdir(parents=True, exist_ok=True)
    path = memories.folder / name
    path.write_text(text, "utf-8")
    return path


def of(memories: ClaudeMemories, name: str) -> ClaudeMemory:
    return memories.get(name)


class Sessions:
    """Sessions of Claude that write memories at the same time, in one folder of transcripts."""

    def __init__(self, memories: ClaudeMemories, places: Places, number: int) -> None:
        self.folder = memories.folder
        self.sessions = [
            Transcript(session_id=f"00000000-0000-4000-8000-{at:012d}", cwd=str(places.project.root))
            for at in range(number)
        ]
        self.now = self.sessions[0].moment
        self.folder.mkdir(parents=True)

    def at(self, number: int) -> Transcript:
        """A session, whose clock is set to now."""
        session = self.sessions[number]
        session.moment = self.now = max(self.now, max(each.moment for each in self.sessions))
        return session

    def asked(self, number: int, text: str) -> None:
        self.at(number).user(text)

    def line(self, number: int) -> int:
        return self.sessions[number].data.count(b"\n") - 1

    def write(self, number: int, name: str, text: str) -> tuple[str | None, str, int]:
        path = self.folder / name
        before = path.read_text("utf-8") if path.exists() else None
        call = self.at(number).call("Write", file_path=str(path), content=text)
        return self.saved(number, call, "written", path, before, text)

    def edit(self, number: int, name: str, old: str, new: str) -> tuple[str | None, str, int]:
        path = self.folder / name
        before = path.read_text("utf-8")
        call = self.at(number).call("Edit", file_path=str(path), old_string=old, new_string=new)
        text = before.replace(old, new, 1)
        return self.saved(number, call, "edited", path, before, text)

    def saved(
        self, number: int, call: str, how: str, path: Path, before: str | None, text: str
    ) -> tuple[str | None, str, int]:
        """Stamped by Claude Code: the file is not what the call gave, its result says what it is."""
        session = self.sessions[number]
        stamp = f"metadata:\n  modified: {session.moment.isoformat()}\n"
        text = re.sub(r"metadata:\n(  modified: .*\n)?", stamp, text)
        patch = hunks(before, text) if before is not None else []
        detail: dict[str, Any] = {"filePath": str(path), "originalFile": before, "structuredPatch": patch}
        if how == "written":
            detail["content"] = text
        session.result(call, "ok", detail=detail)
        path.write_text(text, "utf-8")
        return text, how, self.line(number)

    def run(self, number: int, command: str) -> int:
        self.at(number).tool("Bash", "", command=command)
        return self.line(number)

    def save(self) -> None:
        for each in self.sessions:
            each.write(self.folder.parent, f"{each.envelope['sessionId']}.jsonl")


def hunks(before: str, after: str) -> list[dict[str, Any]]:
    """A `structuredPatch`, with three lines around each change."""
    old, new = before.split("\n"), after.split("\n")
    found = []
    for group in SequenceMatcher(None, old, new).get_grouped_opcodes(3):
        lines = []
        for kind, from_old, to_old, from_new, to_new in group:
            lines += [f" {line}" for line in old[from_old:to_old]] if kind == "equal" else []
            lines += [f"-{line}" for line in old[from_old:to_old]] if kind != "equal" else []
            lines += [f"+{line}" for line in new[from_new:to_new]] if kind != "equal" else []
        start, end = group[0][1], group[-1][2]
        found.append({"oldStart": start + 1, "oldLines": end - start, "lines": lines})
    return found


def told(versions: list[Version]) -> list[tuple[str | None, str, int]]:
    return [(each.text, each.how, each.line) for each in versions]


def test_every_version_of_sixty_writes_in_nine_sessions_is_found_in_order(
    memories: ClaudeMemories, places: Places
) -> None:
    sessions = Sessions(memories, places, 9)
    chance = random.Random(7)
    names = [f"memory_{at}.md" for at in range(5)]
    wanted: dict[str, list[tuple[str | None, str, int]]] = {name: [] for name in names}
    for step in range(60):
        name, number = chance.choice(names), chance.randrange(9)
        path = memories.folder / name
        what = chance.choice(["write", "edit", "edit", "by hand", "delete"]) if path.exists() else "write"
        if what == "write":
            wanted[name].append(sessions.write(number, name, memory_text(name, f"step {step}")))
        elif what == "edit":
            wanted[name].append(sessions.edit(number, name, "step", f"step {step},"))
        elif what == "by hand":
            path.write_text(memory_text(name, f"step by hand {step}"), "utf-8")
            wanted[name].append((path.read_text("utf-8"), "changed outside", 0))
            wanted[name].append(sessions.edit(number, name, "by hand", f"edited {step}"))
        else:
            line = sessions.run(number, f"cd {memories.folder} && rm -f {name}")
            path.unlink()
            wanted[name].append((None, "deleted", line))
    sessions.write(0, "old.md", memory_text("old", "moves"))
    line = sessions.run(3, f"mv {memories.folder}/old.md {memories.folder}/new.md")
    (memories.folder / "old.md").rename(memories.folder / "new.md")
    sessions.sessions[4].broken("Write", "denied", file_path=str(memories.folder / "new.md"), content="no")
    sessions.save()
    history = ClaudeHistory(places, memories.folder)
    history.read()
    for name, versions in wanted.items():
        path = memories.folder / name
        assert told(history.versions(path, path.read_text("utf-8") if path.exists() else None)) == versions
        if path.exists():
            assert history.versions(path, None)[-1].how == "deleted outside"
    moved = history.versions(memories.folder / "old.md", None)
    assert [(each.how, each.line) for each in moved][1:] == [("deleted", line)]


def test_the_words_before_a_version_and_the_sessions_that_read_it(
    memories: ClaudeMemories, places: Places
) -> None:
    sessions = Sessions(memories, places, 3)
    sessions.asked(0, "Fix the import")
    sessions.asked(0, "no, always squash")
    text, _, line = sessions.write(0, "squash.md", memory_text("squash", "Always squash."))
    sessions.asked(0, "thanks")
    for number in (1, 2):
        sessions.asked(number, "Go on")
    sessions.sessions[2].tool("Read", "text", file_path=str(memories.folder / "squash.md"))
    sessions.save()
    history = ClaudeHistory(places, memories.folder)
    history.read()
    (version,) = history.versions(memories.folder / "squash.md", text)
    assert version.line == line
    assert history.origin(version) == ("Fix the import", "no, always squash")
    assert history.recalls(memories.folder / "squash.md") == (1, 3)


def test_each_trouble_is_named_once_and_none_on_a_clean_folder(
    memories: ClaudeMemories, places: Places
) -> None:
    (places.project.root / "src").mkdir()
    (places.project.root / "src" / "there.py").touch()
    write(memories, "clean.md", memory_text("clean", "See `src/there.py` and [[clean]]."))
    write(memories, INDEX, "- [clean](clean.md) - About clean\n")
    assert memories.troubles(memories.entries()) == []
    double = "Squash every branch into one commit before it is merged to main."
    write(memories, "first.md", memory_text("first", double))
    write(memories, "second.md", memory_text("second", double.replace("Squash", "Always squash")))
    write(memories, "bare.md", "No front matter at all here\n")
    write(memories, "odd.md", memory_text("odd", "Something else entirely", "rumour"))
    write(
        memories, "gone.md", memory_text("gone", "Edit `src/gone.py` with care, and [[nothing]]", "project")
    )
    secret = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bD1fG3hJ5"
    write(memories, "secret.md", memory_text("secret", f"The token is {secret}", "reference"))
    write(memories, "lost.md", memory_text("lost", "In no index"))
    listed = ["clean", "first", "second", "bare", "odd", "gone", "secret", "missing"]
    lines = [f"- [{name}]({name}.md) - x" for name in listed]
    lines += [f"- note {at}" for at in range(193 - len(lines))] + ["x" * 151] + ["- more"] * 8
    write(memories, INDEX, "\n".join(lines) + "\n")
    for age, name in enumerate(("first.md", "second.md")):
        os.utime(memories.folder / name, (1000 + age, 1000 + age))
    found = {(each.file, each.text, each.hint) for each in memories.troubles(memories.entries())}
    assert found == {
        (INDEX, "has 202 lines; the last 2 are cut off, as only 200 are loaded", False),
        (INDEX, "L194 has 151 characters; 150 are meant", False),
        (INDEX, "lists missing.md, which does not exist", False),
        ("lost.md", "has no line in MEMORY.md, so Claude does not know of it", False),
        ("bare.md", "has no front matter", False),
        ("odd.md", "has the type 'rumour', not one of user, feedback, project, reference", False),
        ("gone.md", "names src/gone.py, which this project no longer has", False),
        ("gone.md", "links to [[nothing]], which does not exist", True),
        ("secret.md", "holds a secret: github token (line 8)", False),
        ("second.md", "says what first.md says", False),
    }


def test_two_memories_in_chinese_that_say_the_same(memories: ClaudeMemories) -> None:
    write(memories, "a.md", memory_text("a", "提交之前必须先运行全部测试，并且不要推送到主分支。"))
    write(memories, "b.md", memory_text("b", "提交之前必须运行全部测试，并且不要推送到主分支。"))
    write(memories, "c.md", memory_text("c", "数据库的备份每天晚上三点自动开始，保留三十天。"))
    write(memories, INDEX, "".join(f"- [{name}]({name}.md) - x\n" for name in "abc"))
    said = [each.text for each in memories.troubles(memories.entries())]
    assert len(said) == 1
    assert said[0].startswith("says what ")


def test_new_changed_seen_and_approved(memories: ClaudeMemories) -> None:
    path = write(memories, "squash.md", memory_text("squash", "Always squash."))
    assert of(memories, "squash").seen == "new"
    memories.mark(of(memories, "squash"), "seen")
    assert of(memories, "squash").seen == "seen"
    memories.mark(of(memories, "squash"), "approved")
    assert of(memories, "squash").seen == "approved"
    path.write_text(memory_text("squash", "Never squash."), "utf-8")
    assert of(memories, "squash").seen == "changed"
    memories.mark(of(memories, "squash"), "new")
    assert of(memories, "squash").seen == "new"
    assert memories.marks.stat().st_mode & 0o777 == 0o600


def test_a_file_in_place_of_the_folder_holds_none(memories: ClaudeMemories) -> None:
    memories.folder.parent.mkdir(parents=True, exist_ok=True)
    memories.folder.touch()
    assert memories.entries() == ()


def test_in_any_order_files_and_index_are_as_expected(places: Places) -> None:
    for seed in range(100):
        home = Home(*(each / str(seed) for each in places.home))
        each = places._replace(home=home, claude=places.claude / str(seed))
        in_random_order(ClaudeMemories(each, ticking()), random.Random(seed))


def in_random_order(memories: ClaudeMemories, chance: random.Random) -> None:
    """Deleting, bringing back, rewriting, and Claude writing in between."""
    files: dict[str, str] = {}
    index = ""
    for step in range(12):
        name = chance.choice(["a.md", "b.md", "c.md"])
        path = memories.folder / name
        text = memory_text(name[0], f"step {step} {'é' * chance.randrange(3)}")
        entry = f"- [{name[0]}]({name}) - About {name[0]}\n"
        what = chance.choice(["claude", "delete", "undelete", "put", "stale", "approve"])
        if what == "claude":
            write(memories, name, text)
            files[name] = text
            if entry not in index:
                index += entry
                write(memories, INDEX, index)
        elif what == "delete" and name in files:
            memories.delete(memories.get(name))
            del files[name]
            index = index.replace(entry, "")
        elif what == "undelete" and memories.deleted():
            last = memories.deleted()[0]
            if last.file.name in files:
                with pytest.raises(FileChanged):
                    memories.undelete(last)
            else:
                memories.undelete(last)
                files[last.file.name] = last.text
                back = f"- [{last.file.stem}]({last.file.name}) - About {last.file.stem}\n"
                index += "" if back in index else back
        elif what == "put" and name in files:
            memories.put(path, text, expected=files[name])
            files[name] = text
        elif what == "stale" and name in files:
            read = memories.get(name)
            write(memories, name, text)
            files[name] = text
            with pytest.raises(FileChanged):
                memories.put(path, "overwritten", expected=read.text)
            with pytest.raises(FileChanged):
                memories.delete(read)
        elif what == "approve" and name in files:
            memories.mark(memories.get(name), "approved")
        there = {each.name: each.read_text("utf-8") for each in memories.folder.glob("*.md")}
        assert there.pop(INDEX, "") == index
        assert there == files
        assert not [each for each in memories.folder.glob("*") if each.suffix != ".md"]


def test_no_link_is_followed_and_modes_are_kept(memories: ClaudeMemories, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text(memory_text("outside", "x"), "utf-8")
    path = write(memories, "own.md", memory_text("own", "y"))
    path.chmod(0o644)
    (memories.folder / "link.md").symlink_to(outside)
    (link,) = [each for each in memories.entries() if each.path.name == "link.md"]
    assert "is a symbolic link" in link.problem
    with pytest.raises(FileProblem):
        memories.delete(link)
    with pytest.raises(FileProblem):
        memories.put(outside, "z", expected=outside.read_text("utf-8"))
    memories.put(path, "new", expected=path.read_text("utf-8"))
    assert path.stat().st_mode & 0o777 == 0o644
    assert outside.read_text("utf-8") == memory_text("outside", "x")


def test_the_trash_keeps_a_memory_for_thirty_days(places: Places, memories: ClaudeMemories) -> None:
    write(memories, "a.md", memory_text("a", "one"))
    memories.delete(of(memories, "a"))
    for days, left in ((29, 1), (31, 0)):
        now = START + timedelta(days=days)
        later = ClaudeMemories(places, partial(lambda at: at, now))
        assert len(later.deleted()) == left
    assert not list((places.home.data / "trash" / "claude").glob("*.json"))


def test_the_folder_by_the_users_setting_and_for_a_worktree(places: Places, tmp_path: Path) -> None:
    own = ClaudeMemories(places, ticking()).folder
    slug = "".join(char if char.isalnum() else "-" for char in str(places.project.root))
    assert own == places.claude / "projects" / slug / "memory"
    places.claude.mkdir(exist_ok=True)
    settings = places.claude / "settings.json"
    settings.write_text(json.dumps({"autoMemoryDirectory": str(tmp_path / "notes")}))
    assert ClaudeMemories(places, ticking()).folder == tmp_path / "notes"
    settings.write_text("not JSON")
    os.system(
        f"cd {places.project.root} && rm -r .git && git init -q && git -c user.name=a -c user.email=a@b "
        "commit -q --allow-empty -m one && git worktree add -q ../other >/dev/null 2>&1"
    )
    other = places._replace(project=Project(tmp_path / "other"))
    assert ClaudeMemories(other, ticking()).folder == own
    strange = tmp_path / "strange"  # a folder that somebody else has made claims to be a worktree, too
    strange.mkdir()
    (strange / ".git").write_bytes((tmp_path / "other" / ".git").read_bytes())
    assert ClaudeMemories(places._replace(project=Project(strange)), ticking()).folder != own


def test_nothing_is_made_by_looking(places: Places) -> None:
    home = Home(*(each / "none" for each in places.home))
    memories = ClaudeMemories(places._replace(home=home), ticking())
    assert memories.entries() == ()
    assert memories.deleted() == []
    assert not memories.folder.exists()
    assert not home.data.exists()
