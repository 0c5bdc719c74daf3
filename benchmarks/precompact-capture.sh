#!/usr/bin/env bash
# The capture of seed 001 as a hook script usually makes it: bash and jq, one program for each thing.
# The reference for the hook's time; it does less: no lock, no flushing, no context block, nothing unusual.
set -euo pipefail

input=$(cat)
trigger=$(jq -r '.trigger // ""' <<<"$input")
[ "$trigger" = "auto" ] || exit 0

session=$(jq -r '.session_id // ""' <<<"$input")
transcript=$(jq -r '.transcript_path // ""' <<<"$input")
project=${CLAUDE_PROJECT_DIR:-$(jq -r '.cwd // ""' <<<"$input")}

first=""
if [ -f "$transcript" ]; then
    # The first line that holds words of the user, then no more: the transcript may be huge.
    first=$(jq -n -r 'first(inputs
        | select(.type == "user" and (.isMeta | not) and (.isSidechain | not) and (.isCompactSummary | not))
        | .message.content
        | if type == "string" then . else (map(select(.type == "text") | .text) | join("\n")) end
        | select(length > 0 and (startswith("<local-command") | not) and (startswith("Caveat:") | not))
        | .[0:500])' "$transcript" || true)
fi

folder="$project/.project/compacts"
mkdir -p "$folder"
stamp=$(date +%Y%m%d_%H%M%S)
{
    printf '# Autocompact Capture\n\n**Status:** pending\n**Timestamp:** %s\n**Session ID:** %s\n' \
        "$(date -Iseconds)" "$session"
    # shellcheck disable=SC2016
    printf '\n## Transcript\n\n```\n%s\n```\n' "$transcript"
    printf '\n## First Message\n\n%s\n' "$(sed 's/^/> /' <<<"$first")"
    # shellcheck disable=SC2016
    printf '\n## Memory\n\n_Not yet reviewed. Run `/review-compact` to process._\n'
} >"$folder/$stamp-autocompact.md"
