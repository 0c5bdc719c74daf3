"""``memtui search``: finds what was said and done, with a question."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from memtui.cli.options import common_options
from memtui.cli.output import print_json, print_marked, say
from memtui.ground.clock import local_minute
from memtui.ground.project import Places
from memtui.secrets.secrets import masked_in
from memtui.store.search import HEADINGS, NOT_ALL_SEARCHED, ROWS, Group, Scope, Searcher, not_found, row_of
from memtui.store.search_query import DAYS, KINDS, Kind, day, parse_search


class _Command(click.Command):
    """Takes what looks like an option and is none for a word of the question."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put a blank before such words: click leaves those alone."""
        known = {option for each in self.get_params(ctx) for option in (*each.opts, *each.secondary_opts)}
        options = (each.startswith("-") and each.partition("=")[0] not in known for each in args)
        words = [f" {each}" if is_odd else each for each, is_odd in zip(args, options, strict=True)]
        return super().parse_args(ctx, words)


@click.command("search", cls=_Command)
@click.argument("question", nargs=-1, required=True)
@click.option("--in", "kinds", metavar="KINDS", help=f"Only these, with commas: {', '.join(KINDS)}.")
@click.option("--project/--all", "here", default=True, help="This project's (the default), or all projects'.")
@click.option("--since", metavar="DATE", help=f"From this day, month or year on: {DAYS}.")
@click.option(
    "--limit", type=click.IntRange(1), default=10, show_default=True, help="Maximum results of each kind."
)
@common_options
def search(
    question: tuple[str, ...],
    kinds: str | None,
    here: bool,
    since: str | None,
    limit: int,
    as_json: bool,
    places: Places,
) -> None:
    """Find what was said and done: in sessions, memories, Claude's own, captures, session states and pins.

    Ask as you would ask a person. What has the exact words comes first, then what has all of them, then the
    best of the rest: sessions, each with its best lines. '"words in quotes"' and filters narrow it down:
    edited:PART, read:PART, file:PART and cmd:PART to turns that touched a file or ran a command; in:KIND,
    project:NAME, before:DATE, after:DATE.
    L476 names line 476 of a transcript; `memtui transcript SESSION --at 476` prints it. A subagent's line is
    followed by its name, which takes the place of SESSION there. The exit code is 1 if nothing is found.
    """
    wanted = parse_search(" ".join(question))
    if kinds is not None:
        named = parse_search(f"in:{kinds}")
        if named.unread:
            raise click.UsageError(f"--in takes {', '.join(KINDS)}.")
        wanted = wanted._replace(kinds=named.kinds)
    if since is not None:
        moment = day(since)
        if moment is None:
            raise click.UsageError(f"--since takes a date: {DAYS}.")
        wanted = wanted._replace(since=moment)
    searcher = Searcher(places)
    with _bar() as progress:
        searcher.update(progress=progress)
    groups = searcher.search(wanted, Scope.PROJECT if here else Scope.EVERYWHERE, limit=limit)
    found = any(group.results for group in groups)
    whole = all(group.complete for group in groups)
    if as_json:
        rows = [group._asdict() | {"results": [row_of(*some) for some in group.results]} for group in groups]
        print_json(masked_in(rows))
    else:
        _print(groups)
        if not found:
            hint = "; with --all, all projects are searched" if here and not wanted.project else ""
            so_far = "" if whole else " so far"
            some = len(wanted.kinds) < len(KINDS)
            where = f" under {', '.join(HEADINGS[KINDS[word]] for word in wanted.kinds)}" if some else ""
            say(f"Nothing was found{so_far}{where}{hint}.")
    for note in (*wanted.unread, *([] if whole else [NOT_ALL_SEARCHED])):
        say(note, err=True)
    if not found:
        raise click.exceptions.Exit(1)


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None] | None]:
    """A bar on stderr while much is indexed, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = click.progressbar(length=0, label="Indexing transcripts", file=sys.stderr)

    def progress(at: int, total: int) -> None:
        if total >= 32 << 20 and bar.length in (0, total):
            bar.length = total
            bar.update(at - bar.pos)

    try:
        yield progress
    finally:
        if bar.length:
            bar.render_finish()


def _print(groups: list[Group]) -> None:
    for group in groups:
        if group.results:
            say(f"{HEADINGS[group.kind]}  {group.total:,}")
        for results in group.results:
            first, name = results[0], results[0].name
            said = f"  {first.said}" if first.said else ""
            if group.kind is not Kind.SESSION:
                when = f"{local_minute(first.when)}  " if first.when else ""
                say(f"  {name}  {when}{first.title}{said}")
                print_marked(first.pieces(), indent="    ")
                continue
            more = f"  ({len(results)}{'+' * group.more} lines)" if len(results) > ROWS else ""
            say(f"  {name}  {first.title}{more}{said}")
            for result in results[:ROWS]:
                when = f" {local_minute(result.when)}" if result.when else ""
                agent = f"  {result.agent}" if result.agent else ""
                say(f"    L{result.line}{when}  {result.what}{agent}")
                print_marked(result.pieces(), indent="      ")
    if missing := not_found(groups):
        say(missing)
