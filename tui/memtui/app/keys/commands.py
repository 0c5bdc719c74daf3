"""The table of the browser's keys: source of bindings, footer, help, command palette and README."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from textual.binding import Binding

from memtui.ground.named import NamedTuple


class PaneId(StrEnum):
    """The four panes, by the names used for their widgets."""

    PENDING = "pending"
    MEMORIES = "memories"
    COMMANDS = "commands"
    STATE = "state"


PANE_TITLES = {
    PaneId.PENDING: "Pending",
    PaneId.MEMORIES: "Memories",
    PaneId.COMMANDS: "Commands",
    PaneId.STATE: "Session state",
}

PROMPT = "Please import memory {id}"
"""The prompt that restores a memory in Claude Code (seed 000, step 4)."""

_ALL = frozenset(PaneId)
_PENDING = frozenset({PaneId.PENDING})
_MEMORIES = frozenset({PaneId.MEMORIES})
_COMMANDS = frozenset({PaneId.COMMANDS})
_STATE = frozenset({PaneId.STATE})


class Command(NamedTuple):
    """A command of the user.

    Attributes:
        keys: Textual's key names, comma separated; "" for a command that only the palette has.
        shown: the key as written for people.
        label: one or two words for the footer.
        help: what it does, as a phrase for help, palette and README.
        action: the Textual action of the browser screen.
        panes: panes in which it works; the footer shows it only there.
        rank: position in the footer, ascending; 0 leaves it out.
        palette: whether the command palette lists it.
        offered: the footer shows it only while it is possible.
    """

    keys: str
    shown: str
    label: str
    help: str
    action: str
    panes: frozenset[PaneId] = _ALL
    rank: int = 0
    palette: bool = True
    offered: bool = False

    @property
    def title(self) -> str:
        """Its title in the command palette."""
        title = self.label[:1].upper() + self.label[1:]
        return f"{title} ({self.shown})" if self.shown else title

    @property
    def name(self) -> str:
        """Its name in config.toml: `copy_id`."""
        return self.label.lower().replace(" ", "_")

    @property
    def is_direct(self) -> bool:
        """Whether the key is bound to the action itself, so that it works in every pane."""
        return "." in self.action or "(" in self.action

    @property
    def binding_action(self) -> str:
        """The action of the binding: through `run`, which shows a reason when a command cannot act."""
        return self.action if self.is_direct else f"screen.run('{self.action}')"

    @property
    def in_key_bar(self) -> tuple[str, str, str]:
        """The key, its label and its action."""
        return self.shown, self.label, self.binding_action


COMMANDS: tuple[Command, ...] = (
    Command("r", "r", "review", "review this capture", "review", _PENDING, rank=10, offered=True),
    Command(
        "l",
        "l",
        "lost",
        "what this compaction lost, to give it back",
        "lost",
        _PENDING,
        rank=12,
        offered=True,
    ),
    Command(
        "R",
        "R",
        "reviewed too",
        "show reviewed captures too, or hide them",
        "toggle_reviewed",
        _PENDING,
        rank=40,
    ),
    Command(
        "space",
        "space",
        "mark",
        "mark this row, or unmark it: r, t, D and + act on all marked rows",
        "mark",
        _PENDING | _MEMORIES,
    ),
    Command("y", "y", "copy id", "copy the Recovery ID", "copy_id", _MEMORIES, rank=10),
    Command(
        "Y",
        "Y",
        "copy prompt",
        "copy the restore prompt “Please import memory CMEM-…”",
        "copy_prompt",
        _MEMORIES,
        rank=20,
    ),
    Command(
        "plus", "+", "share", "share this memory with a remote (asks)", "share", _MEMORIES, 26, offered=True
    ),
    Command(
        "ctrl+s",
        "ctrl+s",
        "sync",
        "send what is shared to the remotes, and fetch what others have shared",
        "sync",
        _MEMORIES,
        rank=28,
        offered=True,
    ),
    Command(
        "V",
        "V",
        "memory versions",
        "versions of this memory from several machines, and their differences",
        "memory_versions",
        _MEMORIES,
    ),
    Command("t", "t", "tags", "edit the tags of this memory", "tags", _MEMORIES, rank=24),
    Command("D", "D", "delete", "move this memory to the trash", "delete", _MEMORIES, rank=44),
    Command("", "", "undelete", "take a memory out of the trash", "undelete", _MEMORIES),
    Command(
        "A",
        "A",
        "all",
        "show memories of all projects, or only of this one",
        "toggle_all",
        _MEMORIES,
        rank=40,
    ),
    Command(
        "exclamation_mark",
        "!",
        "pin line",
        "pin this line: no compaction may lose it",
        "pin_line",
        rank=19,
        offered=True,
    ),
    Command(
        "x",
        "x",
        "clear",
        "clear this active command, or remove this pin",
        "clear_command",
        _COMMANDS,
        rank=10,
    ),
    Command("J", "J", "pin down", "move this pin down: the first ones count most", "pin_down", _COMMANDS),
    Command("K", "K", "pin up", "move this pin up", "pin_up", _COMMANDS),
    Command("X", "X", "clear all", "clear all active commands (asks)", "clear_all", _COMMANDS, rank=20),
    Command(
        "v", "v", "versions", "versions of the session state, and their differences", "versions", _STATE, 10
    ),
    Command(
        "left_square_bracket",
        "[",
        "newer",
        "the previous session: the newer one",
        "newer_session",
        _STATE,
        12,
        offered=True,
    ),
    Command(
        "right_square_bracket",
        "]",
        "older",
        "the next session: the older one",
        "older_session",
        _STATE,
        14,
        offered=True,
    ),
    Command("n", "n", "update", "write a new version of the session state now", "update_state", _STATE, 16),
    Command("p", "p", "copy notes", "copy the notes that restore this session", "copy_notes", _STATE, 18),
    Command("m", "m", "ask claude", "let a model word the next version (claude -p)", "ask_model", _STATE, 38),
    Command(
        "b", "b", "backfill", "capture compactions that were missed", "backfill", _PENDING, 15, offered=True
    ),
    Command("i", "i", "install", "install the plugin into Claude Code", "install", rank=25, offered=True),
    Command("", "", "uninstall", "take the plugin out of Claude Code", "uninstall"),
    Command("u", "u", "undo", "undo the last change of this run", "undo", rank=35),
    Command("ctrl+r", "ctrl+r", "redo", "redo the last undone change", "redo"),
    Command("enter", "enter", "open", "open the detail", "open", rank=5, palette=False),
    Command(
        "escape",
        "esc",
        "back",
        "back: leave the detail, marks, filter, zoom",
        "back",
        palette=False,
    ),
    Command("o", "o", "transcript", "open the transcript", "transcript", rank=60),
    Command("e", "e", "edit", "open the file in $EDITOR", "edit", rank=70),
    Command("slash", "/", "filter", "filter this pane as you type", "filter", rank=30),
    Command("c", "c", "compact", "compact the current session into a memory", "compact", rank=34),
    Command("", "", "hand over to Codex", "write this session's handoff into AGENTS.md", "handoff_codex"),
    Command("", "", "hand over to Gemini", "write this session's handoff into GEMINI.md", "handoff_gemini"),
    Command("", "", "copy handoff", "copy this session's handoff for another agent", "copy_handoff"),
    Command("", "", "end handoff", "remove the handoff from AGENTS.md and GEMINI.md", "end_handoff"),
    Command("s", "s", "search", "search sessions, memories, captures and states", "search", rank=32),
    Command("S", "S", "sessions", "every session: read, resume or fork it", "sessions", rank=36),
    Command("z", "z", "zoom", "give this pane the whole window, or give it back", "zoom", rank=80),
    Command(
        "less_than_sign",
        "<",
        "narrower",
        "make the panes narrower; or drag the border with the mouse",
        "screen.split(-4)",
    ),
    Command("greater_than_sign", ">", "wider", "make the panes wider", "screen.split(4)"),
    Command("1", "1", "Pending", "go to the pending captures", "screen.pane('pending')"),
    Command("2", "2", "Memories", "go to the memories", "screen.pane('memories')"),
    Command("3", "3", "Commands", "go to the active commands", "screen.pane('commands')"),
    Command("4", "4", "State", "go to the session state", "screen.pane('state')"),
    Command("tab", "tab", "next", "next pane", "screen.next_pane(1)", palette=False),
    Command("shift+tab", "shift+tab", "previous", "previous pane", "screen.next_pane(-1)", palette=False),
    Command("ctrl+p", "ctrl+p", "commands", "every command by name", "app.command_palette", palette=False),
    Command("question_mark,f1", "?", "help", "help for the focused pane", "help", rank=90),
    Command(
        "ctrl+c",
        "ctrl+c",
        "copy",
        "copy the text that is selected with the mouse",
        "app.copy_selection",
        palette=False,
    ),
    Command(
        "ctrl+z",
        "ctrl+z",
        "suspend",
        "go back to the shell; fg goes on here",
        "app.suspend_process",
        palette=False,
    ),
    Command("q", "q", "quit", "quit", "app.quit", rank=99),
)
"""Every key of the browser, in the order in which help lists them."""

_MOVING = (
    ("1 2 3 4, tab", "go to a pane, to the next one"),
    ("j k ↑ ↓ g G", "move; page up, page down, ctrl+d and ctrl+u work too"),
    ("tab, enter", "in a memory's detail: go to the next fold or related memory, and open it"),
    ("k, enter", "above the first row of the session state: its title, which lists every session"),
)
"""Keys with a common row in the table, or bound by the lists themselves."""
_GROUPED = frozenset({"1", "2", "3", "4", "tab", "shift+tab"})


def bindings(commands: Iterable[Command] = COMMANDS) -> list[Binding]:
    """Textual's bindings for the browser screen, made from the table; panes may share a key."""
    by_key: dict[str, list[Command]] = {}
    for command in commands:
        for key in command.keys.split(",") if command.keys else ():
            by_key.setdefault(key, []).append(command)
    return [
        Binding(key, _action(sharing), sharing[0].label, show=False, tooltip=sharing[0].help)
        for key, sharing in by_key.items()
    ]


def _action(sharing: Sequence[Command]) -> str:
    """The command of a key in a pane, among those that share the key."""
    if len(sharing) == 1:
        return sharing[0].binding_action
    return f"screen.run('{' '.join(command.action for command in sharing)}')"


def elsewhere(command: Command) -> str:
    """A hint at where a command works, for a pane in which it does not."""
    places = " or ".join(
        f"{PANE_TITLES[pane]} ({number})" for number, pane in enumerate(PaneId, 1) if pane in command.panes
    )
    return f"{command.shown or command.title} means “{command.help}”: that works in {places}."


def footer_commands(
    pane: PaneId,
    *,
    reading: bool = False,
    offers: frozenset[str] = frozenset(),
    commands: Iterable[Command] = COMMANDS,
) -> list[Command]:
    """The commands in the footer of a pane, the most useful first.

    Args:
        pane: the current pane.
        reading: whether its detail has the focus.
        offers: the actions that are possible now, out of those that are not always.
        commands: the table, with the user's own keys.
    """
    commands = tuple(commands)
    offered = [
        command
        for command in commands
        if command.rank and pane in command.panes and (not command.offered or command.action in offers)
    ]
    if reading:
        back = [command for command in commands if command.action == "back"]
        offered = [*back, *(command for command in offered if command.action != "open")]
    return sorted(offered, key=lambda command: command.rank)


def key_table(commands: Iterable[Command] = COMMANDS) -> list[tuple[str, str]]:
    """(key, what it does) for README and the help screen."""
    rows = [
        (command.shown, command.help) for command in commands if command.keys and not _is_grouped(command)
    ]
    return [*_MOVING, *rows]


def _is_grouped(command: Command) -> bool:
    return command.shown in _GROUPED and command.action.startswith("screen.")


def markdown_key_table() -> str:
    """The key table for README, which a test compares."""
    rows = [f"| {_code(shown)} | {text} |" for shown, text in key_table()]
    return "\n".join(("| key | does |", "|---|---|", *rows))


def _code(shown: str) -> str:
    return " ".join(f"`{part}`" for part in shown.replace(",", "").split())
