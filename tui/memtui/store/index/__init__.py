"""The search index of the stored memories: SQLite, made from their files, deleted when in doubt."""

from memtui.store.index.search import SearchIndex

__all__ = ["SearchIndex"]
