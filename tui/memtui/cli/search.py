"""``memtui search``: searches sessions, memories, captures and session states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

import click

from memtui.cli.options import json_option, places_option
from memtui.cli.output import print_json, print_marked, say
from memtui.ground.clock import local_minute, system_clock
from memtui.ground.project import Places
from memtui.secrets.secrets import masked_in
from memtui.store.base import why_not_all
from memtui.store.index.query import KINDS, day, parse_search
from memtui.store.index.updating import update_index
from memtui.store.search import HEADINGS, Group, Kind, Result, Scope, SearchStores, search_all

_EACH = 3
"""The most places shown per session."""


@click.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("--in", "kinds", metavar="KINDS", help=f"Only these, with commas: {', '.join(KINDS)}.")
@click.option("--project/--all", "here", default=True, help="This project's (the default), or all projects'.")
@click.option("--since", metavar="DATE", help="From this day, month or year on: 2026-02-23, 2026-02.")
@click.option(
    "--limit", type=click.IntRange(1), default=10, show_default=True, help="Maximum results of each kind."
)
@json_option
@places_option
def search(
    words: tuple[str, ...],
    kinds: str | None,
    here: bool,
    since: str | None,
    limit: int,
    as_json: bool,
    places: Places,
) -> None:
    """Find what was said and done: in sessions, memories, captures and session states.

    A result contains all WORDS; sessions are searched turn by turn. Parts of words count, "words in quotes"
    stand together, and filters narrow it down: file:PART and cmd:PART for turns that touched a file or ran a
    command, in:KIND, before:DATE, after:DATE, is:pinned.
    L476 names line 476 of a transcript; `memtui transcript SESSION --at 476` prints it. A subagent's line is
    followed by its name, which takes the place of SESSION there. The exit code is 1 if nothing matches.
    """
    wanted = parse_search(" ".join(words))
    if kinds is not None:
        named = parse_search(f"in:{kinds}")
        if named.words:
            raise click.UsageError(f"--in takes {', '.join(KINDS)}.")
        wanted = replace(wanted, kinds=named.kinds)
    if since is not None:
        moment = day(since)
        if moment is None:
            raise click.UsageError("--since takes a date like 2026-02-23 or 2026-02.")
        wanted = replace(wanted, since=moment)
    update_index(places)
    scope = Scope.PROJECT if here else Scope.EVERYWHERE
    groups = list(search_all(SearchStores(places, system_clock), wanted, scope, limit))
    found = any(group.results for group in groups)
    if as_json:
        shown = [_shape(group, limit) for group in groups if group.kind in _kinds(wanted.kinds)]
        print_json(masked_in(shown))
    else:
        for group in groups:
            _print(group, limit)
        if not found:
            say("Nothing matches." + ("" if here else " All projects were searched."))
        if not all(group.complete for group in groups):
            say(why_not_all(places.home), err=True)
    if not found:
        raise click.exceptions.Exit(1)


def _kinds(names: Iterable[str]) -> list[Kind]:
    return [kind for kind, name in zip(Kind, KINDS, strict=True) if name in names]


def _print(group: Group, limit: int) -> None:
    if not group.results:
        return
    say(f"{HEADINGS[group.kind]}  {group.total:,}")
    for results in list(_together(group))[:limit]:
        first = results[0]
        if group.kind is not Kind.SESSION:
            when = f"{local_minute(first.when)}  " if first.when else ""
            say(f"  {first.name}  {when}{first.title}{f'  {first.said}' if first.said else ''}")
            print_marked(first.snippet, first.marks, indent="    ")
            continue
        more = f"  ({len(results)} places)" if len(results) > 1 else ""
        say(f"  {first.name}  {first.title}{more}{f'  {first.said}' if first.said else ''}")
        for result in results[:_EACH]:
            when = f" {local_minute(result.when)}" if result.when else ""
            agent = f"  {result.agent}" if result.agent else ""
            say(f"    L{result.line}{when}  {result.what}{agent}")
            print_marked(result.snippet, result.marks, indent="      ")


def _together(group: Group) -> Iterator[list[Result]]:
    """The results, grouped by session."""
    for _, some in groupby(group.results, key=lambda result: result.name):
        yield list(some)


def _shape(group: Group, limit: int) -> dict[str, Any]:
    shown = [result for results in list(_together(group))[:limit] for result in results]
    return {
        "kind": str(group.kind),
        "total": group.total,
        "complete": group.complete,
        "results": [_row(result) for result in shown],
    }


def _row(result: Result) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": result.name,
        "title": result.title,
        "time": result.when.isoformat() if result.when else None,
        "snippet": result.snippet,
    }
    if result.project:
        row["project"] = result.project
    if result.path is not None:
        row |= {
            "transcript": str(result.path),
            "turn": result.turn,
            "line": result.line,
            "what": result.what,
            "agent": result.agent,
        }
    return row
