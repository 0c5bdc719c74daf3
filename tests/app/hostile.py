"""Texts that attack a terminal or its markup, and a world in which every place holds them."""

from __future__ import annotations

import json
import os
from datetime import timedelta

from memtui.documents.capture import capture_name
from tests.app.world import NOW, World

ESC, BEL, ST = "\x1b", "\x07", "\x1b\\"
CONTROL = {
    "osc title": f"{ESC}]0;pwned title{BEL}",
    "osc title, string end": f"{ESC}]2;pwned window{ST}",
    "osc clipboard": f"{ESC}]52;c;cHduZWQ={BEL}",
    "osc clipboard query": f"{ESC}]52;c;?{BEL}",
    "osc link": f"{ESC}]8;;file:///etc/passwd{ST}pwned link{ESC}]8;;{ST}",
    "osc notification": f"{ESC}]9;pwned note{BEL}",
    "osc without an end": f"{ESC}]1337;File=pwned",
    "csi position report": f"pwned{ESC}[6n",
    "csi device attributes": f"pwned{ESC}[>0c",
    "csi clear": f"{ESC}[2J{ESC}[3Jpwned",
    "csi window size": f"{ESC}[8;5;5tpwned",
    "csi title report": f"{ESC}[21tpwned",
    "csi alternate screen": f"{ESC}[?1049lpwned",
    "csi mouse": f"{ESC}[?1000hpwned",
    "csi hidden text": f"{ESC}[8mpwned{ESC}[28m",
    "csi repeat": f"x{ESC}[99999bpwned",
    "dcs": f"{ESC}P$qpwned{ST}",
    "dcs tmux": f"{ESC}Ptmux;{ESC}{ESC}]52;c;cHduZWQ={BEL}{ST}",
    "dcs sixel": f"{ESC}Pq#0;2;0;0;0pwned{ST}",
    "apc kitty": f"{ESC}_Ga=T,f=100;pwned{ST}",
    "pm and sos": f"{ESC}^pwned{ST}{ESC}Xpwned{ST}",
    "reset": f"{ESC}cpwned",
    "charset": f"{ESC}(0pwned{ESC})0",
    "c1 csi": "\x9b2J\x9b6npwned",
    "c1 osc": "\x9d0;pwned\x9c",
    "c1 dcs": "\x90qpwned\x9c",
    "c1 next line": "pwned\x85pwned",
    "bell": f"pwned{BEL}{BEL}",
    "backspaces": "pwned\x08\x08\x08\x08\x08",
    "carriage return": "pwned\rowned",
    "nul": "pwned\x00pwned",
    "delete": "pwned\x7f\x7f",
    "shift out": "pwned\x0e\x0f",
    "vertical": "pwned\x0b\x0cpwned",
    "bidi override": "pwned\u202egnp.exe\u202c",
    "bidi isolates": "\u2066pwned\u2067x\u2068y\u2069",
    "tags": "pwned\U000e0001\U000e0070\U000e0077\U000e007f",
    "separators": "pwned\u2028pwned\u2029pwned",
}
"""Control characters, by what they would do; each text would be recognised in what a terminal gets."""

MARKUP = {
    "closing": "[/]",
    "closing a tag that is not open": "[/pwned] [/b]",
    "link": "[link=file:///etc/passwd]pwned[/link]",
    "action": "[@click=app.quit]pwned[/]",
    "action with quotes": "[@click=app.bell('x')]pwned[/]",
    "style": "[bold red on white]pwned[/bold red on white]",
    "unfinished": "pwned [bold",
    "escaped": "pwned \\[/] \\",
    "brackets": "[[[pwned]]] arr[0] == '[/b]'",
    "braces": "{pwned} {0} {} %s %(x)s $pwned",
    "emoji code": ":warning: pwned :boom:",
    "html": "<script>pwned</script> &amp; <!-- COMPACT_SUMMARY_END -->",
}
"""Text that a careless widget would interpret as markup."""

ODD = {
    "long line": "pwned " + "long" * 1250,
    "long word": "w" * 5000,
    "family": "👨‍👩‍👧‍👦" * 40 + "pwned",
    "flags and skins": "🇩🇪🇫🇷👍🏽❤️1️⃣" * 20 + "pwned",
    "combining storm": "p" + "\u0301\u0323\u0336" * 400 + "wned",
    "zero width": "pw\u200bn\u200ded\u200c\u2060\ufeff",
    "wide": "漢字かな交じり文" * 30 + "pwned",
    "half a pair": "pwned \ud83d half",
    "right to left": "pwned שלום مرحبا \u200f\u200e",
    "not a character": "pwned \uffff\ufffe\U0010ffff",
    "soft hyphens": "pw\xad\xadned",
    "tabs": "pwned\t\t\tpwned",
    "spaces": "   pwned\u00a0\u3000   ",
}
"""Text that is hard to measure or to encode."""

PAYLOADS = {**CONTROL, **MARKUP, **ODD}
EVERYTHING = " | ".join(text[:300] for text in PAYLOADS.values())
LINES = "\n".join(PAYLOADS.values())
_ALL = list(PAYLOADS.values())
TEXTS = [" ".join(_ALL[number : number + 6]) for number in range(0, len(_ALL), 6)]
"""The payloads by sixes: as many rows as a test has the time to look at."""


def in_name(text: str) -> str:
    """The text as a file can be called."""
    safe = text.replace("/", "∕").replace("\0", "").replace("\n", " ")
    data = safe.encode("utf-8", "surrogatepass")[:180]
    return os.fsdecode(data)


def capture_text(message: str, *, status: str = "pending", session: str = "s-1", transcript: str = "") -> str:
    """A capture as no tool of ours would write it."""
    quoted = "\n".join(f"> {line}" for line in message.split("\n"))
    return (
        f"# Autocompact Capture\n\n**Status:** {status}\n**Timestamp:** {NOW.isoformat()}\n"
        f"**Session ID:** {session}\n\n## Transcript\n\n```\n{transcript}\n```\n\n"
        f"## First Message\n\n{quoted}\n\n## {session}\n\nAn unknown section\n\n"
        "## Memory\n\n_Not yet reviewed._\n"
    )


def attacked(world: World) -> World:
    """Put every payload into every place of a project that memtui reads."""
    _captures(world)
    _memories(world)
    _commands(world)
    world.write(world.root / ".git" / "HEAD", f"ref: refs/heads/{EVERYTHING}\n")
    world.write(world.home.states / "s-1" / "v0001.md", state_text(EVERYTHING, LINES))
    world.write(world.transcript_path("s-1"), transcript(world))
    return world


def _captures(world: World) -> None:
    folder = world.project.compacts
    for text in _ALL:  # broken, with the payload in the reason and in the file's name
        world.write(folder / f"{in_name(text)}-autocompact.md", capture_text(text, status=text))
    for number, text in enumerate(TEXTS):
        line = text.replace("\n", " ")
        path = str(world.transcript_path("s-1")) if number % 2 else line
        name = capture_name(NOW - timedelta(minutes=number))
        world.write(folder / name, capture_text(f"{text}\n{text}", session=line, transcript=path))
        done = capture_text(text, status="reviewed").replace(
            "## Memory", f"## Summary\n\n{text}\n\n## Memory\n\n[{line}](./{line})\n\n## Note"
        )
        world.write(folder / capture_name(NOW - timedelta(days=1, minutes=number)), done)


def _memories(world: World) -> None:
    for number, text in enumerate(TEXTS):
        name = f"CMEM-20260301-{number:06}"
        escaped = json.dumps(text, ensure_ascii=False)
        head = f"---\nid: {name}\nproject: {escaped}\ncreated: 2026-03-01T10:00:00+01:00\n"
        head += f"description: {escaped}\ntags: [{escaped}, b]\n"
        head += f"session_id: {escaped}\nsource: {escaped}\n---\n"
        body = f"# {text}\n\n## Objective\n\n- **{text}**\n> {text}\n```{text}\n{text}\n```\n"
        world.write(world.home.memories / "2026-03" / f"{name}.md", head + body)
        memory = f"# Memory: {text}\n\n## Goal\n{text}\n\n## Learnings\n- {text}\n\n## {text}\n{text}\n"
        world.write(world.project.compacts / f"{number}{in_name(text)}-memory.md", memory)


def _commands(world: World) -> None:
    entries: list[object] = [
        {"name": text, "activated_at": NOW.isoformat(), "state": {text: [text, {"deep": text}]}}
        for text in _ALL
    ]
    entries += [{"name": "told", "activated_at": EVERYTHING, "state": EVERYTHING}, {"nameless": EVERYTHING}]
    value = {EVERYTHING: LINES, "active_commands": entries}
    world.write(world.project.session_state_json, json.dumps(value, indent=2))
    world.command_file("told", LINES)


def state_text(line: str, lines: str) -> str:
    """A session state document with a payload in every field."""
    tasks = "\n".join(f"- [ ] {kind}{line}" for kind in ("**IN PROGRESS**: ", "NEXT: ", "LATER: ", ""))
    return (
        "=== SESSION STATE v3 ===\n\n"
        f"## IDENTITY\n- Project: {line}\n- Branch: {line}\n- Session goal: {line}\n\n"
        f"## TASK TREE\n{tasks}\n  - Blocker: {line}\n\n## KEY DECISIONS\n- Decision: {line}\n\n"
        f"## WORKING CONTEXT\n- Last error: {line}\n\n## CONVERSATION DYNAMICS\n- Current phase: {line}\n\n"
        f"## {line}\n{lines}\n\n=== END STATE ===\n"
    )


def transcript(world: World) -> str:
    """A transcript with payloads in prompts, answers, tools, paths, commands and results."""
    records: list[dict[str, object]] = []

    def add(kind: str, content: object, **fields: object) -> None:
        moment = (NOW - timedelta(hours=2) + timedelta(seconds=len(records))).isoformat()
        records.append(
            {
                "type": kind,
                "uuid": f"u{len(records)}",
                "timestamp": moment,
                "sessionId": "s-1",
                "cwd": str(world.root),
                "gitBranch": EVERYTHING,
                "message": {"role": kind, "content": content},
                **fields,
            }
        )

    add("user", EVERYTHING)
    for number, text in enumerate(TEXTS):
        add("user", f"Never use {text}\n{text}")
        add("assistant", [{"type": "text", "text": text}, {"type": "thinking", "thinking": text}])
        for tool, given in (
            ("Edit", {"file_path": f"{world.root}/{text}", "old_string": text, "new_string": text}),
            ("Bash", {"command": text, "description": text}),
            ("TodoWrite", {"todos": [{"content": text, "status": "pending", "activeForm": text}]}),
            (text, {"any": text}),
        ):
            name = f"t{number}-{tool[:9]}"
            add("assistant", [{"type": "tool_use", "id": name, "name": tool, "input": given}])
            add(
                "user",
                [{"type": "tool_result", "tool_use_id": name, "content": text, "is_error": tool == "Bash"}],
            )
    return "".join(json.dumps(record) + "\n" for record in records)
