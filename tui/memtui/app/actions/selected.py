"""Actions on the selected item of any pane."""

from __future__ import annotations

from memtui.app.actions.place import Place, Windows
from memtui.app.keys.commands import PROMPT
from memtui.app.panes.pane import Subject


class SelectedActions:
    """Copies the Recovery ID, opens the transcript, edits the file."""

    def __init__(self, place: Place, windows: Windows) -> None:
        self._place = place
        self._host = place.host
        self._windows = windows

    @property
    def _subject(self) -> Subject:
        pane = self._place.pane
        return pane.subject(pane.selected)

    def copy_id(self) -> None:
        """Copy the Recovery ID."""
        self._copy("{id}", "")

    def copy_prompt(self) -> None:
        """Copy the prompt that restores the memory."""
        self._copy(PROMPT, self._subject.recovery_note)

    def _copy(self, form: str, note: str) -> None:
        subject = self._subject
        if subject.recovery_id:
            self._host.copy_text(form.format(id=subject.recovery_id), note=note)
        else:
            self._host.say(subject.no_recovery_id, warn=True)

    def transcript(self, line: int = 0) -> None:
        """Open the transcript at a line (1-based), or at its end."""
        subject = self._subject
        if subject.transcript is None:
            self._host.say(subject.no_transcript, warn=True)
        else:
            self._windows.transcript(subject.transcript, line)

    def edit(self) -> None:
        """Open the file in the editor."""
        subject = self._subject
        if subject.file is None:
            self._host.say(subject.no_file, warn=True)
            return
        if problem := self._windows.edit(subject.file):
            self._host.say(problem, warn=True)
        self._host.hint("compacts", "memories", "commands", "pins", "userpins", "states")
