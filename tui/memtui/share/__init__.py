"""Memories on more than one machine: records, remotes that store them, and merging.

`remote` is the contract; `git_remote` and `postgres_remote` implement it. Records are only added to a remote,
except that forgetting a memory everywhere removes its records. `replica` is the local copy of a remote, and
`merging` computes a memory from its records: machines with the same records have the same memories, in
whatever order the records arrived. Nothing here touches the store of memories: `memtui.flows.syncing` does.
"""
