"""What the model supposed to be the cause of something, which a session may or may not confirm."""

from __future__ import annotations

import re

from memtui.reading.sentences import Stems, is_question, sentences_with

_SHORTEST = 30
_LONGEST = 8_000
"""Characters of a message; what is longer is a report."""

_UNSURE = re.compile(
    r"\b(?:likely|probably|perhaps|maybe|might|may be|could be|seems|suspect)\b"
    r"|可能|たぶん|かもしれ|おそらく",
    re.IGNORECASE,
)
_GUESS = re.compile(
    r"\b(?:i|we) (?:(?:now|strongly|still|also) )?suspect\b"
    r"|\b(?:my|our|the|one|another) (?:\w+ )?(?:hypothesis|guess|theory|suspicion) (?:is|was|would be)\b"
    r"|\bhypothes[ie]s ?(?:\d|[a-c])? ?: ?\S"
    r"|\b(?:is|are|was|were|might be|may be|could be) (?:most )?(?:likely |probably |possibly )?"
    r"(?:caused by|due to|because of|the culprit|a race)\b"
    r"|\bje (?:soupçonne|suppose)\b|\bmon hypothèse\b"
    r"|\b(?:sans doute|probablement) (?:dû|due|causée?|à cause)\b"
    r"|(?:怀疑|猜测|推测)(?!性)|可能是(?:因为|由于)|と(?:疑って|推測)"
    r"|(?:おそらく|たぶん).{0,40}(?:原因|ため|から)",
    re.IGNORECASE,
)
GUESS_STEMS = Stems(
    "susp", "hypoth", "guess is", "theory is", "caused by", "because of", "due to", "culprit", "a race",
    "soupçonne", "suppose", "probablement", "sans doute",
    "怀疑", "猜测", "推测", "可能是", "疑って", "推測", "おそらく", "たぶん",
)  # fmt: skip


def is_unsure(text: str) -> bool:
    """Whether a statement says itself that it is not certain."""
    return _UNSURE.search(text) is not None


def guesses_in(text: str, lowered: str) -> list[str]:
    """The sentences of the model in which it supposes a cause.

    Args:
        text: a message of the model.
        lowered: the same in lower case.
    """
    if not _SHORTEST < len(text) <= _LONGEST:
        return []
    found = sentences_with(text, lowered, GUESS_STEMS)
    return [sentence for sentence in found if len(sentence) > _SHORTEST and _supposes(sentence)]


def _supposes(sentence: str) -> bool:
    return (
        _GUESS.search(sentence) is not None
        and (is_unsure(sentence) or _NAMED.search(sentence) is not None)
        and not is_question(sentence)
        and not sentence.endswith((":", "："))
    )


_NAMED = re.compile(
    r"hypothes|theory|guess|suspicion|soupçonne|suppose|hypothèse|sans doute|probablement"
    r"|怀疑|猜测|推测|疑って|推測",
    re.IGNORECASE,
)
"""Words that call it a guess."""
