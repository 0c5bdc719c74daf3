"""``python -m memtui`` and the ``memtui`` script: connects command line, app and servers."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui.ground.project import Home, Project


def main() -> None:
    """Run the command line and leave with its exit code."""
    from memtui.cli.startup import root_to_open, run_to_end

    if (root := root_to_open(sys.argv[1:])) is not None:
        sys.exit(run_to_end(lambda: _open_root(root)))
    from memtui.cli.main import Openers, run

    sys.exit(run(sys.argv[1:], Openers(app=_open_app, demo=_open_demo, mcp=_serve_mcp)))


def _open_root(root: Path) -> None:
    from memtui.ground.project import Project, claude_config, memtui_home

    _open_app(Project(root), memtui_home(), claude_config())


# Imported when called: most commands never open the app, and Textual takes longer than their work.


def _open_app(project: Project, home: Home, claude: Path) -> None:
    # Garbage collection while loading takes a tenth of the time to the first paint and finds nothing. The app
    # turns the collector on again after painting.
    gc.disable()
    from memtui.app.app import run_app

    run_app(project, home, claude)


def _open_demo() -> None:
    from memtui.app.app import run_app
    from memtui.demo.build import run_demo

    run_demo(run_app)


def _serve_mcp(home: Home) -> None:
    from memtui.mcp.server import run_server

    run_server(home)


if __name__ == "__main__":
    main()
