"""The search index of everything: an SQLite cache of files, rebuilt when in doubt.

`store.matching` alone defines what matches, without a database; the index only makes it fast. One FTS5 table
holds the folded texts and finds them by runs of three characters; its results are compared with the query
(`finding`), so that only real matches are shown. A search adds new texts first, as far as time allows, and
reports whether it was complete (`Found.complete`).

Each kind of documents has a range of numbers, so that kinds are searched separately. `sessions` indexes
transcripts: a document for each stretch of a turn (`transcript.passages`). `documents` indexes files as
one document each: `search` stored memories, and `project_files` captures, memory files, states and pins of
all projects. Secrets are masked, except those in memories. `query` parses the filters in a query, and
`updating` updates the whole index.
"""

from memtui.store.index.memories import SearchIndex

__all__ = ["SearchIndex"]
