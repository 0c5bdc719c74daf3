"""The search index of the stored memories: SQLite, made from their files, deleted when in doubt.

`store.matching` alone defines what matches, without a database; the index only makes it fast. For each memory
it records which sequences of one, two and three characters and which words occur in it, as bit sets; FTS5
finds the words that contain a longer part. Where that does not decide, the stored texts are compared. Totals
up to 2,000 are exact; larger ones may be estimated from a sample. A search adds new texts first, as far as
its time allows, and says what it had no time for (`Found.complete`).
"""

from memtui.store.index.search import SearchIndex

__all__ = ["SearchIndex"]
