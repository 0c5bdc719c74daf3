"""Machines that work, lose the network and sync at random; at the end all have to be equal."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from memtui.flows import syncing
from memtui.share.remote import Remote
from tests.flows.machines import Machine

_TAGS = ("cart", "tax", "auth")


@dataclass
class Outcome:
    """The outcome of a simulation."""

    memories: int
    """Memories that every machine has at the end."""
    superseded: int = 0
    """Of them."""
    changes: int = 0
    """Texts, tags, archive marks and deletions, at random."""
    syncs: int = 0
    cut: int = 0
    """Syncs that did not happen, because the machine was cut off."""
    records: int = 0
    """Records sent."""
    seconds: float = 0.0
    equal: bool = False


def simulate(
    base: Path,
    remote: Callable[[str], Remote],
    *,
    machines: int,
    memories: int,
    seed: int,
    rounds: int = 10,
    progress: Callable[[str], None] = lambda line: None,
) -> Outcome:
    """Let machines make memories, change any that they know, and sync when the network lets them.

    Args:
        base: an empty folder.
        remote: opens the remote as the machine of this name.
        machines: how many; their clocks differ by up to an hour to either side.
        memories: that each makes.
        seed: decides everything.
        rounds: in each of them half of the machines are cut off.
        progress: receives a line now and then.
    """
    vars(syncing)["open_remote"] = lambda *arguments: remote(arguments[-1])
    chance, done, started = random.Random(seed), Outcome(0), time.perf_counter()
    all_ = [
        Machine(base, f"m{number}", sync="all", skew=timedelta(hours=chance.uniform(-1, 1)))
        for number in range(machines)
    ]
    remote("m0").set_up()
    for turn in range(rounds):
        cut = {each.name for each in all_ if chance.random() < 0.5}
        for each in chance.sample(all_, len(all_)):
            for number in range(memories * turn // rounds, memories * (turn + 1) // rounds):
                each.new(b"memory %d of %s\n" % (number, each.name.encode()), tags=(chance.choice(_TAGS),))
            done.changes += _change(each, chance, memories)
            if each.name in cut:
                done.cut += 1
                continue
            done.records += each.sync().sent
            done.syncs += 1
        progress(f"round {turn + 1} of {rounds}: {done.syncs} syncs, {time.perf_counter() - started:.0f} s")
    for each in all_ * 2:
        done.records += each.sync().sent
        done.syncs += 1
    progress(f"all have synced twice: {time.perf_counter() - started:.0f} s")
    first = all_[0].everything(), all_[0].successors()
    done.memories, done.superseded = len(first[0]), len(first[1])
    done.equal = all((each.everything(), each.successors()) == first for each in all_[1:])
    done.seconds = time.perf_counter() - started
    return done


def _change(machine: Machine, chance: random.Random, memories: int) -> int:
    """Change some of the memories that a machine has; returns how many."""
    ids = machine.ids()
    chosen = chance.sample(ids, min(len(ids), max(1, memories // 20)))
    for memory_id in chosen:
        action = chance.choice(("text", "tags", "archive", "both", "delete", "supersede"))
        if action in ("text", "both"):
            machine.store.rewrite(memory_id, f"text {chance.random()} of {machine.name}\n".encode())
        if action in ("tags", "both"):
            machine.store.update(memory_id, tags=chance.sample(_TAGS, chance.randrange(3)))
        if action == "supersede":
            machine.store.update(memory_id, superseded_by=chance.choice(ids))
        if action == "archive":
            machine.store.update(memory_id, archived=chance.random() < 0.5)
        if action == "delete" and chance.random() < 0.3:
            machine.store.delete(memory_id)
    return len(chosen)
