"""The search index of memories and transcripts: an SQLite cache of their files, rebuilt when in doubt.

`store.matching` alone defines what matches, without a database; the index only makes it fast. One FTS5 table
holds the folded texts and finds them by runs of three characters; what it finds is compared with the query
(`finding`), so that what a search shows does match. A search adds new texts first, as far as its time
allows, and says what it had no time for (`Found.complete`).

Memories and transcripts have a file each, of the same tables: `search` looks after memories, a document each;
`sessions` after transcripts, a document for each stretch of a turn (`memtui.reading.passages`), with secrets
masked. `asked` reads the filters that are typed into a query.
"""

from memtui.store.index.search import SearchIndex

__all__ = ["SearchIndex"]
