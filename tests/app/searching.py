"""Helpers for the tests of the search screen."""

from __future__ import annotations

from textual.events import Paste

from memtui.app.project import ProjectModel
from memtui.app.screens.search import SearchScreen
from memtui.demo.transcript import TranscriptWriter
from memtui.documents.session_state import Identity, SessionState
from memtui.ground.project import Places
from memtui.store.search_documents import Kind
from tests.app.harness import Driver
from tests.app.world import World, clock


def browser_of(world: World) -> ProjectModel:
    return ProjectModel(Places(world.project, world.home, world.claude), clock)


def screen(driver: Driver) -> SearchScreen:
    assert isinstance(driver.screen, SearchScreen)
    return driver.screen


def found(driver: Driver) -> list[str]:
    """The rows of the results, headings without their numbers."""
    return [key for key in screen(driver).results.rows if not key.startswith("#")]


def idle(driver: Driver) -> bool:
    return all(worker.is_finished for worker in driver.app.workers if worker.group == "search")


async def look_for(driver: Driver, text: str) -> None:
    await driver.press("s")
    await driver.until(lambda: isinstance(driver.screen, SearchScreen), "the search")
    if text:  # pasted: typing would search for each beginning of it
        driver.app.post_message(Paste(text))
    await driver.until(lambda: screen(driver).query_text == text and idle(driver), "the search")
    await driver.settled()


def kinds_of(keys: set[str]) -> set[str]:
    """The kinds of results, by their keys."""
    kinds = sorted(map(str, Kind), key=len, reverse=True)
    return {next(kind for kind in kinds if key.startswith(kind)) for key in keys}


def session_elsewhere(other: World) -> TranscriptWriter:
    """A session of another project."""
    session = other.session("s-9")
    session.prompt("Refresh the paint")
    return session


def replaced(state: SessionState, goal: str, world: World) -> SessionState:
    """The state with another goal, of a world's project."""
    return state.replace(identity=Identity(project=f"x ({world.root})", goal=goal))
