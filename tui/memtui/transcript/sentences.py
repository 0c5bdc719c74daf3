"""Sentences of spoken text, without code and logs; which of them are rules, and which only announce.

By structure, and by the few words of negation, obligation and announcement that every language has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"^\s*(?:```|~~~)")
_QUOTED = re.compile(r'^[ \t]*"""[ \t]*(?:\w+[ \t]*)?$.*?^[ \t]*"""', re.MULTILINE | re.DOTALL)
"""A block between two lines of quotes; a single one is none."""
_MARK = re.compile(r"^\s*(?:[-*+•·>]\s+|\d{1,3}[.)、）]\s*|#{1,6}\s+|\[[ xX]\]\s+|[①-⑳]\s*)+")
_END = re.compile(r"(?<=[.!?…])[\"')\]”’*_]*\s+(?=[^\s\da-z])|(?<=[。！？；])[」』”’）]*")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WORD = re.compile(r"[^\W\d_]{2,}")
_CODE_LINE = re.compile(
    r"[;{}]\s*$|^\s*(?://|[$#%>×✖❯]\s|at \S+\(|File \"|\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d"
    r"|^(?:\+{1,3}\s?|-{1,3})[\w<{@/].*[=({;]"
    r"|(?:import|from|def|class|const|let|var|function|return|export|public|private) \S.*[=({:;])"
    r"|^\s*[\w.-]+\s*[=:]\s*\S+$|^\s*<\/?\w+[^>]*>|[│├└┌┐┘─═║╔╚]|^\s*\||\t.*\t"
)
_SHORTEST, _SHORTEST_WIDE, _LONGEST = 3, 6, 2_000

_RULE = re.compile(
    r"\b(?:never|(?<!can )always"
    r"|(?:don'?t|do not)(?! (?:\w+ly )?(?:know|think|see|need|mind|get|understand|believe|remember)\b)"
    r"|must(?:n'?t)?|should(?:n'?t| not)|shall|only|without|avoid|forbid\w*"
    r"|not? (?:use|touch|change|edit|push|commit|add|run)|make sure|ensure|prefer|instead of|rather than"
    r"|no more|stop \w+ing|before (?:you|we|each|every|any)"
    r"|nie(?:mals)?|nicht|kein\w*|immer|muss|müssen|soll\w*|darf|nur|ohne|statt"
    r"|jamais|toujours|ne [\w']+ (?:pas|jamais|plus)|n'[\w']+ (?:pas|jamais|plus)|doi(?:t|s|vent)|il faut"
    r"|seulement|sans|pas de|plutôt|uniquement"
    r"|nunca|siempre|debes?|deben|tiene que|hay que|sólo|solamente|sin|não|sempre|deve(?:m|mos|s|ria\w*)?"
    r"|apenas|sem|mai|devi|devono|soltanto|senza|nooit|altijd|moet|niet|geen|alleen|zonder)\b"
    r"|\b(?:никогда|всегда|нельзя|не|должн\w+|только|без|обязательно|надо|нужно)\b"
    r"|不要|不能|不得|不许|不可|禁止|必须|务必|一定要|只能|只用|只要|别再|别用|不需要|永远|始终|确保|而不是|避免|應該|應|应该|勿"
    r"|しないで|しない|ないで|禁止|必ず|べき|だけ|のみ|てはいけ|てください|ず(?:に|、)|やめて|絶対|不要"
    r"|하지\s?마|말고|말아|금지|반드시|항상|절대|해야|만 |없이|않",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"^(?:(?:now|next|first|then|ok(?:ay)?|great|perfect|good|alright|excellent|so|and)[,.!]?\s+)*"
    r"(?:let(?:'s| me| us)\b|i(?:'ll| will| am going to|'m (?:going to|now)| need to| should| want to)\b"
    r"|we(?:'ll| will)\b|(?:now|next|time to)\b"
    r"|(?:looking|checking|running|reading|updating|creating|adding|fixing)\b"
    r"|ich (?:werde|schaue|prüfe)|jetzt|je vais|maintenant|voy a|ahora|vou|agora)"
    r"|^(?:现在|接下来|让我|我来|我将|我会|首先|好的|次に|では|それでは|まず|今から|이제|먼저|다음)",
    re.IGNORECASE,
)
_ASKED = re.compile(r"[?？؟][\s\"”’')」*`]*\Z")
_ASIDE = re.compile(r"\?\s*$|？\s*$|:\s*$|：\s*$")


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, each on one line; code, logs, tables and drawings are left out."""
    fenced = False
    for line in _QUOTED.sub("", text).split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if fenced or _CODE_LINE.search(line):
            continue
        for part in _END.split(_MARK.sub("", line)):
            sentence = " ".join(part.replace("**", "").split()).strip("*_ ")
            words, wide = _WORD.findall(sentence), len(_WIDE.findall(sentence))
            several = len(words) >= _SHORTEST or wide >= _SHORTEST_WIDE
            letters = sum(map(len, words)) + wide
            if several and len(sentence) <= _LONGEST and 2 * letters >= len(sentence.replace(" ", "")):
                yield sentence


def is_rule(sentence: str) -> bool:
    """Whether a sentence forbids, demands or limits something."""
    return _RULE.search(sentence) is not None and _ASKED.search(sentence) is None


def is_question(sentence: str) -> bool:
    return _ASKED.search(sentence) is not None


def announces(sentence: str) -> bool:
    """Whether a sentence only says what comes next, or asks."""
    return _ANNOUNCES.search(sentence) is not None or _ASIDE.search(sentence) is not None
