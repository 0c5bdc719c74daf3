"""Changes made by hooks are recorded and can be undone."""

from __future__ import annotations

from memtui.store.history import Recorded
from tests.hooks.world import World
from tests.store.undoing import Undoing


def recorded(world: World) -> list[Recorded]:
    return Undoing(world.home, world.project.root).history.all()


def test_captures_and_commands_are_on_record_and_no_ones_last_change(world: World) -> None:
    world.command("babysit", "Ask first.")
    world.within("user-prompt-submit", prompt="/babysit")
    world.within("pre-compact", trigger="auto")
    (path,) = world.captures
    world.within("session-start", source="startup")
    changes = recorded(world)
    assert [(each.change.what, each.by) for each in changes] == [
        ("cleared /babysit", "a hook"),
        (f"captured {path.name.removesuffix('-autocompact.md')}", "a hook"),
        ("activated /babysit", "a hook"),
    ]
    history = Undoing(world.home, world.project.root).history
    assert history.last() is None
    for each in changes:
        history.revert(each.change.id)
    assert world.captures == []
    assert not world.project.session_state_json.exists()
