"""Copying: the choice of the way, and messages that claim no more than is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.ground.clipboard import copy

ID = "CMEM-20260102-101500"


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def install(folder: Path, name: str, *, status: int = 0, knows_w: bool = True) -> Path:
    """Put a stand-in tool on the PATH that keeps its arguments and input."""
    log = folder / f"{name}.log"
    refuse = "" if knows_w else 'case "$*" in *-w*) exit 1;; esac\n'
    script = folder / name
    script.write_text(f'#!/bin/sh\n{refuse}echo "$*" > "{log}"\n/bin/cat >> "{log}"\nexit {status}\n')
    script.chmod(0o755)
    return log


def environment(folder: Path, **extra: str) -> dict[str, str]:
    return {"PATH": str(folder), **extra}


def test_in_tmux_the_buffer_is_loaded_and_named(tools: Path) -> None:
    log = install(tools, "tmux")
    sent: list[str] = []
    copied = copy(ID, sent.append, env=environment(tools, TMUX="/tmp/x,1,0"), platform="linux")
    assert log.read_text() == f"load-buffer -w -\n{ID}"
    assert sent == [ID]
    assert "tmux buffer" in copied.message
    assert ID in copied.message
    assert copied.sure


def test_a_tmux_without_w_is_asked_again_without_it(tools: Path) -> None:
    log = install(tools, "tmux", knows_w=False)
    copied = copy(ID, lambda text: None, env=environment(tools, TMUX="x"), platform="linux")
    assert log.read_text() == f"load-buffer -\n{ID}"
    assert copied.sure


@pytest.mark.parametrize(
    ("platform", "tool", "extra"),
    [
        ("darwin", "pbcopy", {}),
        ("linux", "wl-copy", {"WAYLAND_DISPLAY": "wayland-0"}),
        ("linux", "xclip", {"DISPLAY": ":0"}),
        ("linux", "xsel", {"DISPLAY": ":0"}),
        ("linux", "clip.exe", {"WSL_DISTRO_NAME": "Debian"}),
        ("win32", "clip.exe", {}),
    ],
)
def test_a_native_tool_that_succeeded_is_named(
    tools: Path, platform: str, tool: str, extra: dict[str, str]
) -> None:
    log = install(tools, tool)
    sent: list[str] = []
    copied = copy(ID, sent.append, env=environment(tools, **extra), platform=platform)
    arguments, text = log.read_text().split("\n")
    assert (ID in arguments, text) == (False, ID)
    assert copied.message == f"Copied {ID} with {tool}"
    assert sent == []


def test_a_tool_that_fails_is_not_believed(tools: Path) -> None:
    install(tools, "wl-copy", status=1)
    sent: list[str] = []
    copied = copy(ID, sent.append, env=environment(tools, WAYLAND_DISPLAY="w"), platform="linux")
    assert sent == [ID]
    assert not copied.sure
    assert "cannot confirm" in copied.message


def test_over_ssh_no_native_tool_is_used(tools: Path) -> None:
    log = install(tools, "pbcopy")
    sent: list[str] = []
    copied = copy(ID, sent.append, env=environment(tools, SSH_CONNECTION="1 2 3 4"), platform="darwin")
    assert not log.exists()
    assert sent == [ID]
    assert not copied.sure


def test_a_tool_of_the_current_folder_is_not_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "xclip"
    program.write_text(f"#!/bin/sh\n: >{tmp_path}/sprung\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    sent: list[str] = []
    copy(ID, sent.append, env={"PATH": ".:/usr/bin:/bin", "DISPLAY": ":9"}, platform="linux")
    assert len(sent) == 1
    assert not (tmp_path / "sprung").exists()
