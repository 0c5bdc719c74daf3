"""Session states and pins: shared only between one's own machines."""

from __future__ import annotations

from memtui.flows.shared_names import Names, digest
from memtui.flows.sharing_pins import SharedPins
from memtui.flows.sharing_states import SharedStates
from memtui.formats.shared_record import PINS
from memtui.ground.clock import Clock
from memtui.ground.project import Home
from memtui.share.applied_records import Applied
from memtui.share.merging import Merged
from memtui.share.replica import Replica


def is_memory(key: str) -> bool:
    """Whether a record key is that of a memory."""
    return key.startswith("CMEM-")


class SharedOwn:
    """The states and pins of one user on several machines."""

    def __init__(self, home: Home, clock: Clock, names: Names) -> None:
        self._states = SharedStates(home, names)
        self._pins = SharedPins(home, clock, names)

    def collect(self, replica: Replica) -> list[str]:
        """Make records of local changes; returns a sentence for each document held back."""
        return [*self._states.collect(replica), *self._pins.collect(replica)]

    def apply(self, replica: Replica, key: str, found: Merged) -> Applied:
        """Apply records to this machine; `wrote` records a stored state.

        Raises:
            FileProblem: something cannot be written.
        """
        if key == PINS:
            return self._pins.apply(replica.applied(PINS), found.marks)
        self._states.apply(found.newest)
        return Applied(digest(found.newest.body), found.marks)
