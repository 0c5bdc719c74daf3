"""Memories on more than one machine: records, the remotes that carry them, and what they say of a memory.

`remote` is the contract; `git_remote` and `postgres_remote` fulfil it. A remote gets more and more records;
it loses some only when a memory is forgotten everywhere.
`replica` is what this machine knows of one, and `merged` computes a memory from its records: machines that
have the same records have the same memories, in whatever order these arrived. Nothing here touches the store
of memories: `memtui.flows.syncing` does.
"""
