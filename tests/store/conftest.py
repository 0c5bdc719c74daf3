"""Tests of the stores do not wait for the disk."""

from __future__ import annotations

import pytest

from tests.disk import without_flushing


@pytest.fixture(autouse=True)
def _no_flushing(monkeypatch: pytest.MonkeyPatch) -> None:
    without_flushing(monkeypatch.setattr)
