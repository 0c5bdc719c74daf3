"""``memtui init``, ``uninstall``, ``doctor`` and ``mcp``: memtui in Claude Code, and if it works there."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click

from memtui.cli.options import agreed, common_options, places_option, yes_option
from memtui.cli.output import can_answer, print_json, print_list, say
from memtui.ground.clean import clean_line
from memtui.ground.clock import local_minute, system_clock
from memtui.ground.project import Places, memtui_home
from memtui.lost.outbox import lines_wait, waiting_by_session
from memtui.plugin.doctor import diagnose
from memtui.plugin.installing import Plan, apply, plan_init, plan_uninstall, settings_block, typed_lines
from memtui.plugin.receipts import RECENT, receipts_of, waiting_here, why_no_hook
from memtui.store.archive_settings import answer_keeping, archive_settings


@click.command("init")
@click.option("--project", is_flag=True, help="For this project on this machine, not for all your projects.")
@click.option("--replace", is_flag=True, help="Take entries out of the settings that do the same.")
@click.option("--print", "printing", is_flag=True, help="Only print the hooks as a block for the settings.")
@yes_option
@places_option
def init(project: bool, replace: bool, printing: bool, yes: bool, places: Places) -> None:
    """Install memtui's plugin into Claude Code.

    It runs the lines of Claude Code's own that are shown first. From then on every auto-compaction leaves a
    capture, and pins and the rules of active commands outlive it. /review-compact reviews from within Claude
    Code, /memory:compact stores a session under a Recovery ID. It also asks, once, whether transcripts are
    to be kept beyond the days after which Claude Code deletes them. `memtui uninstall` takes it all away
    again.
    """
    if printing:
        print_json(settings_block())
        return
    plan = plan_init(places, project=project, replace=replace)
    if _done(plan, places, yes, "memtui is installed."):
        say("Sessions that start after that run its hooks. `memtui doctor` says whether they work.")
    elif plan:
        return
    if archive_settings(places.home).keep is None and not yes and can_answer():
        question = "Keep compressed copies of transcripts beyond Claude Code's 30 days?"
        answer_keeping(places.home, click.confirm(question, default=True))


@click.command("uninstall")
@yes_option
@places_option
def uninstall(yes: bool, places: Places) -> None:
    """Take memtui's plugin out of Claude Code.

    Its marketplace and slash commands go, too. Captures, memory files and memories stay where they are, and
    so does an edited slash command.
    """
    if _done(plan_uninstall(places), places, yes, "memtui is not installed."):
        say("memtui is no longer installed in Claude Code.")
    if waiting := sum(waiting_by_session(places.home).values()):
        say(f"{lines_wait(waiting)}, and no hook delivers them: w in the app takes them back.")


def _done(plan: Plan, places: Places, yes: bool, nothing: str) -> bool:
    """Show a plan, ask, and carry it out; False if nothing was done."""
    for note in plan.notes:
        say(f"Note: {note}")
    if not plan:
        say(f"Nothing to do: {nothing}")
        return False
    typed, own = typed_lines(plan), list(plan.lines())
    if typed:
        say("\n  ".join(("claude is not on the PATH: type these lines at Claude Code's prompt.", *typed)))
        own = own[len(typed) :]
        if own:
            say("memtui itself will:")
    for each in own:
        say(f"  {each}")
    if not agreed("Do this?", yes):
        say("Nothing was changed.")
        return False
    for sentence in apply(plan, places):
        say(sentence)
    if typed:
        reason = "claude is not on the PATH: type the /plugin lines above, or do this again where it is."
        raise click.ClickException(reason)
    return True


@click.command("doctor")
@click.option("--receipts", is_flag=True, help="Show whether hand-overs have arrived, newest first.")
@common_options
@click.pass_context
def doctor(ctx: click.Context, receipts: bool, as_json: bool, places: Places) -> None:
    """Say what works: hooks, captures, receipts, the MCP server.

    One line each, with what to do. Nothing is changed. The exit code is 1 if something is broken.
    """
    if receipts:
        _print_receipts(places, as_json)
        return
    findings = []
    for finding in diagnose(places, system_clock):
        findings.append(finding)
        if not as_json:
            say(f"{finding.level:8} {finding.check}: {clean_line(finding.message)}", hang=9)
            if finding.advice:
                say(" " * 9 + clean_line(finding.advice))
            sys.stdout.flush()
    if as_json:
        print_json([finding._asdict() for finding in findings])
    if any(finding.level == "broken" for finding in findings):
        ctx.exit(1)


def _print_receipts(places: Places, as_json: bool) -> None:
    found = receipts_of(places, RECENT)
    if not as_json:
        for session, number in waiting_here(places).items():
            say(f"⏳ {lines_wait(number)} of session {session[:8]}.")
    values, rows = [], []
    signs, why = {"whole": "✓", "unknown": "?"}, why_no_hook(places)
    for each in found:
        value = asdict(each) | {"at": each.at.isoformat()}
        value |= {"mark": each.mark or None, "line": each.line or None}
        del value["arrived"]  # only labels need it
        values.append(value)
        label = f"{signs.get(each.arrival, '✗')} {each.label.replace(why, 'no hook ran')}"
        rows.append((local_minute(each.at), each.session_id[:8], each.what or each.event, label))
    columns = ("Handed over", "Session", "What", "Receipt")
    print_list(values, columns, rows, "Nothing was handed over yet.", as_json, flexible=3)
    if not as_json and any(each.reason == why for each in found):
        say(f"{why[0].upper()}{why[1:]}.", err=True)


@click.command("mcp")
@click.pass_context
def mcp(ctx: click.Context) -> None:
    """Serve memories to Claude Code over MCP, on standard input and output.

    Claude Code starts this itself once `memtui init` has registered it. The tools are core_memory (list,
    import, export), session_manager, search and lost.
    """
    if can_answer():
        say("Waiting for an MCP client, such as Claude Code, on standard input; ctrl+c ends it.", err=True)
    ctx.find_root().obj.mcp(memtui_home())
