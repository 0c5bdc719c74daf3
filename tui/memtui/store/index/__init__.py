"""The search index of everything: an SQLite cache of files, rebuilt when in doubt.

`store.matching` alone defines what matches, without a database; the index only makes it fast. One FTS5 table
holds the folded texts and finds them by runs of three characters; what it finds is compared with the query
(`finding`), so that what a search shows does match. A search adds new texts first, as far as its time
allows, and says what it had no time for (`Found.complete`).

Each kind of documents has a range of numbers, so that one is found without the others. `sessions` looks after
transcripts: a document for each stretch of a turn (`memtui.reading.passages`). `documents` looks after texts
of a file each: `search` stored memories, and `project_files` captures, memory files, states and pins of all
projects. Secrets are masked, except those in memories. `asked` reads the filters that are typed into a query,
and `reading` brings all of it up to date.
"""

from memtui.store.index.search import SearchIndex

__all__ = ["SearchIndex"]
