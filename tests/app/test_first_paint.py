"""Contents and imports of the first paint, which determine its time (measured in benchmarks/)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.app.harness import SIZES, opened
from tests.app.world import World
from tests.store.captures import add_capture, make_project

_PROGRAM = """
import gc, json, sys
OWN = ("transcript.", "documents.", "secrets.", "lost.")
READING = (*("memtui." + each for each in OWN), "textual.widgets._text_area")
LATER = tuple("memtui.app." + each for each in ("screens.", "palette", "widgets.input", "details.memory"))
from pathlib import Path
import memtui.__main__, memtui.cli.startup
import memtui.app.app as app_module
from memtui.app.panes.pane import PaneId
from memtui.app.panes.pane import PaneStack
from memtui.app.browser import BrowserScreen
from memtui.ground.project import Home, Project
from textual.css.stylesheet import Stylesheet

restyled, update_nodes = [], Stylesheet.update_nodes

def noted(sheet, nodes, animate=False):
    nodes = [*nodes]
    restyled.extend(type(node).__name__ for node in nodes)
    update_nodes(sheet, nodes, animate)

Stylesheet.update_nodes = noted
limits, arrange = [], PaneStack.arrange

def arranged(stack, size, optimal=False):
    result = arrange(stack, size, optimal)
    limits.append([str(pane.styles.height) for pane in stack.children])
    return result

PaneStack.arrange = arranged

def painted(view):
    names = [*view.panes[PaneId.PENDING].rows]
    result = {
        "rows": names,
        "drawn": view.panes[PaneId.PENDING].draw_row(names[0], 60).plain,
        "memories": [*view.panes[PaneId.MEMORIES].rows],
        "detail": view.detail.document.text,
        "restyled": restyled,
        "limits": limits,
        "imported": sorted({name.partition(".")[0] for name in sys.modules}),
        "reading": sorted(name for name in sys.modules if name.startswith(READING)),
        "later": sorted(name for name in sys.modules if name.startswith(LATER)),
        "styles": [Path(path).name for path, _ in view.app.stylesheet.source if path.endswith(".tcss")],
    }
    print("TOLD", json.dumps(result))
    view.app.exit()

def run(app):
    textual_run(app, headless=True, size=(140, 45))
    print("COLLECTING", gc.isenabled())

BrowserScreen._painted = painted
textual_run, app_module.MemtuiApp.run = app_module.MemtuiApp.run, run
folder = Path(sys.argv[1])
home = Home(*(folder / name for name in ("data", "cache", "state", "config")))
open_app = memtui.__main__._open_app
memtui.__main__._open_app = lambda project, *_: open_app(project, home, folder / "claude")
sys.argv[1:] = [str(folder / "app")]
memtui.cli.startup.can_show_app = lambda: True
memtui.__main__.main()
"""


def test_the_newest_are_painted_before_any_model_is_imported(tmp_path: Path) -> None:
    project = make_project(tmp_path / "app")
    older, newer = (add_capture(project, number, message=f"number {number}") for number in (1, 2))
    month = tmp_path / "data" / "memories" / "2026-01"
    month.mkdir(parents=True)
    (month / "CMEM-20260102-101500.md").write_text("---\n")
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "TOLD" in done.stdout, done.stderr
    before, _, after = done.stdout.partition("COLLECTING")
    result = json.loads(before.partition("TOLD")[2].strip().splitlines()[0])
    assert result["rows"] == [newer.name, older.name]
    assert "number 2" in result["drawn"] and "number 2" in result["detail"]
    assert result["memories"] == ["CMEM-20260102-101500.md"]
    assert not {"pydantic", "pydantic_core", "yaml", "watchdog", "click"} & set(result["imported"])
    # Captures need the standard library alone.
    assert result["reading"] == ["memtui.documents.capture", "memtui.documents.markdown"]
    assert result["later"] == ["memtui.app.screens.asking"]
    assert result["styles"] == ["app.tcss"]
    assert "BrowserScreen" not in result["restyled"]  # styled as they are mounted, and not all again
    assert len({tuple(each) for each in result["limits"]}) == 1  # the panes are laid out once
    assert after.strip() == "True"


async def test_the_screen_has_few_widgets(full: World) -> None:
    for size in SIZES:
        async with opened(full, size) as driver:
            every = [type(widget).__name__ for widget in driver.app.screen.walk_children()]
            widgets = [name for name in every if name != "FooterKey"]  # made after the first paint
            assert len(every) - len(widgets) <= 16
            assert len(widgets) <= 12, widgets
