"""The search index of the stored memories: SQLite, made from their files, deleted when in doubt.

`store.matching` alone defines what matches, without a database; the index only makes it fast. One FTS5 table
holds the folded texts and finds them by runs of three characters; what it finds is compared with the query
(`finding`), so that what a search shows does match. A search adds new texts first, as far as its time
allows, and says what it had no time for (`Found.complete`).
"""

from memtui.store.index.search import SearchIndex

__all__ = ["SearchIndex"]
