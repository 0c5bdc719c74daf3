"""Sharing memories with other machines, through git or PostgreSQL.

The engine decides the order of versions and keeps them all; `sync` compares and applies.
"""
