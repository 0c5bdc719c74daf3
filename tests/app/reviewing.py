"""Helpers for the tests of the review screen."""

from __future__ import annotations

from pathlib import Path

from memtui.app.screens.review import FIELDS, ReviewScreen
from memtui.documents.capture import parse_capture
from memtui.documents.memory_file import draft_memory, draft_summary
from memtui.engines.drafts import Reworded
from memtui.transcript.facts import read_facts
from tests.app.harness import Driver
from tests.app.world import World


async def start(driver: Driver) -> ReviewScreen:
    """Review the newest capture, wait for its draft, and go to the form's first field."""
    await driver.press("1", "g", "r")
    await driver.until(lambda: driver.review.form.fields["title"].text, "the draft")
    review = driver.review
    assert review.facts.listing.has_focus
    review.form.aim("title")
    await driver.press("f2")
    assert review.form.fields["title"].has_focus
    return review


def drafted(world: World) -> Reworded:
    """The draft that memtui would write for a capture."""
    capture = parse_capture(world.capture_path(10).read_text())
    facts = read_facts(Path(capture.transcript), until=capture.timestamp)
    return Reworded(draft_memory(facts), draft_summary(facts))


def texts(review: ReviewScreen) -> dict[str, str]:
    return {field.name: review.form.fields[field.name].text for field in FIELDS}


def target(review: ReviewScreen) -> str:
    """The one field that says that space adds to it."""
    (name,) = [
        field.name for field in FIELDS if "space adds" in str(review.form.fields[field.name].border_title)
    ]
    return name


def memory_path(world: World) -> Path:
    path = world.capture_path(10)
    return path.with_name(path.name.replace("-autocompact", "-memory"))


def everything(world: World) -> dict[str, bytes]:
    """The captures and memory files."""
    return {path.name: path.read_bytes() for path in world.project.compacts.glob("*.md")}
