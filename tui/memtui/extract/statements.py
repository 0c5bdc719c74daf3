"""Decisions and constraints, read from single sentences by fixed rules.

Precision goes before recall: a sentence counts only when its wording leaves little doubt. Constraints come from
the user alone. Decisions come from the user's choices, from answers, from approved plans, and from the model
where it says that it decided, and why.
"""

from __future__ import annotations

import re

from memtui.extract.records import Source, Statement
from memtui.extract.sentences import is_question, sentences

_COUNT_LIMIT = 60
_TEXT_LIMIT = 320


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{part})" for part in parts), re.IGNORECASE)


# Where a clause begins: "don't" behind a subject ("I don't know") is no order.
_CLAUSE = (
    r"(?:^|[,;:(–—]\s*|\s-\s+|\b(?:and|but|so|also|please|just|then|ok|okay|yes|yeah|no|then,)\s+)"
    r"(?:please\s+|just\s+|also\s+|but\s+)*"
)
_CLAUSE_FR = r"(?:^|[,;:(–—]\s*|\s-\s+|\b(?:et|mais|donc|surtout|alors)\s+)"

_CONSTRAINT = _pattern(
    _CLAUSE
    + r"(?:don['’]?t|do not|never|avoid|stop)\s+(?!know|think|see|mind|care|worry|understand|remember|get\b|now\b"
    r"|here\b|you think)(?:\w+ing\b|[a-z]+\b)",
    _CLAUSE + r"(?:always|only|exclusively|ensure|make sure|be sure to|remember to|prefer)\s+[a-z'’]+",
    _CLAUSE + r"keep (?:it|the|this|that|all|both|every|using|to)\b(?! going)",
    _CLAUSE + r"be (?:concise|brief|careful|terse|short)\b",
    r"\blet['’]?s (?:not|avoid|only|never|keep it)\b",
    r"\b(?:i|we) (?:really |explicitly |definitely |still )?(?:don['’]?t|do not|never|won['’]?t) (?:ever )?"
    r"(?:want|need to touch|allow|accept|compromise)\b",
    r"\bi(?:['’]d| would) (?:much )?(?:rather|prefer)\b",
    r"\bi (?:actually |really |generally )?prefer\b",
    r"\bi want (?:the|this|it|that|all|my|our|these|those)\b.{2,90}\b(?:instead of|rather than|retained|unchanged|untouched)\b",
    r"\b(?:must|mustn['’]?t|must not|shouldn['’]?t|should (?:not|never|only)|needs? to be|ha(?:s|ve) to be)\s+\w+",
    r"\b(?:not allowed to|forbidden|off[- ]limits|under no circumstances|by default it should|default to)\b",
    r"\bplease (?:always |only )?use\b",
    r"\b(?:do|use|run|change|edit|touch|write|add|apply|fix|work) .{0,60}\bonly\b",
    r"\bwithout (?:changing|touching|breaking|adding|using|modifying|removing|losing|introducing)\b",
    r"\bno (?:need (?:to|for)|new dependenc|external dependenc|breaking changes|\w+ \w+ needed)",
)
_CONSTRAINT_FR = _pattern(
    _CLAUSE_FR + r"(?:ne |n['’])\w[\w-]*(?: \w+)? (?:pas|jamais|plus|rien)\b",
    _CLAUSE_FR
    + r"(?:évite|évitez|assure-toi|assurez-vous|veille à|veillez à|garde|gardez|préfère|utilise uniquement)\b",
    r"\b(?:il (?:ne )?faut|tu (?:ne )?dois|vous (?:ne )?devez|doi(?:t|vent)|on ne doit)\b",
    r"\b(?:toujours|jamais|uniquement|obligatoirement|interdit|surtout pas|impérativement)\b",
    r"\bje (?:ne veux pas|préfère|préférerais|veux que)\b",
    r"\bsans (?:modifier|changer|toucher|casser|ajouter|utiliser)\b",
    r"^pas de \w+",
)
_CONSTRAINT_CJK = _pattern(
    r"不要|不得|禁止|必须|必須|务必|一定要|只能|只用|请勿|請勿|请用|请使用|不允许|不许|避免|始终|而不是|优先(?:使用|用|考虑)",
    r"(?:你|也|都|就)?不能(?:用|改|使用|修改|删|有|出现|动|影响|破坏)|(?:^|[，,。；])别(?![的人处])|不用.{1,12}[，,]?(?:用|改用)",
    r"保持.{0,12}(?:不变|一致|原样|风格)|仅(?:用|限|在|对)",
    r"ないで(?:ください|下さい|ほしい|欲しい|くれ|ね|。|！|$)|しない(?:こと|ように)|必ず|絶対に?|べき(?:では|じゃ)ない",
    r"なければならない|ないといけない|ようにして|以外は|は不要|だけ.{0,12}(?:して|使って)|のみ(?:で|を|に|使|。)",
    r"(?:を|で)使って(?:ください|下さい|ほしい|。|$)|(?:で|に)(?:統一|回答|返答)して",
)

_DECISION = _pattern(
    r"\blet['’]?s (?:go with|use|store|keep(?! (?:going|it simple))|drop|stick (?:to|with)|switch to|leave|skip|call it"
    r"|bump|go for|just (?:drop|use|keep))\b",
    r"\b(?:we|i)(?:['’]ll|['’]re going to| will| are going to) (?:go with|use|keep|drop|stick (?:to|with)|switch to)\b",
    r"\b(?:i|we)(?:['’]ve| have)? (?:decided|chose|opted|settled on|picked)\b",
    r"\bi (?:think|guess) (?:option )?(?:[a-d]|\d)\)?,? (?:is|would be|sounds|seems|works)\b",
    r"\bi think (?:option )?[A-D]\)?,",
    r"^(?:yes|yeah|ok|okay|yep|no)?,?\s*(?:rename|call) (?:it|this|them) (?:to\s+)?\S+",
    r"^(?:go|going) with\b|\bwe do \w+-first\b",
    r"\b(?:sounds|seems) (?:perfect|best|right)\b",
    r"\bon (?:part sur|va utiliser|utilise|garde|abandonne)\b|\bj['’]ai (?:décidé|choisi)\b|\bnous avons (?:décidé|choisi)\b",
    r"(?:我们|我|就|还是|那就|最终)(?:决定|选择|选|采用|改用|用)|决定(?:用|使用|采用)|采用.{1,40}(?:方案|方式|方法|架构)",
    r"(?:にしよう|で行こう|でいこう|にします|に決め|を採用|を選)",
)

# The model decides all the time; what counts is a decision stated as one, with its reason.
_MODEL_DECISION = _pattern(
    r"\b(?:i|we)(?:['’]ve| have)? (?:decided|chose|opted|settled on)\b",
    r"\b(?:i['’]ll|i will|we['’]ll|i['’]m going to) (?:go with|use|keep|stick with|put)\b",
    r"^(?:(?:design|key|final|main|architectural) )*decision\s*:",
    r"决定(?:用|使用|采用|把|将)|选择了|に(?:しました|決めました)|を採用しました|j['’]ai (?:décidé|choisi|opté)",
)
_REASON = _pattern(
    r"\b(?:because|since|so that|rather than|instead of|to avoid|due to|as it|which (?:avoids|keeps|means))\b",
    r"因为|以便|避免|而不是|ため|ので|parce que|afin de|plutôt que|pour éviter",
)
_MODEL_HINTS = (
    "decided", "chose ", "opted", "settled on", "decision", "i'll ", "we'll ", "i’ll ", "going to ", "i will ",
    "决定", "选择了", "しました", "決めました", "j'ai ",
)  # fmt: skip

_CAUSE = _pattern(
    r"\broot cause (?:is|was)\b",
    r"^(?:so |now i see[:,]? )?(?:the|this) (?:issue|problem|bug|reason|culprit|failure) (?:is|was)\b",
    r"\b(?:it )?turns out\b",
    r"\b(?:fails|failed|failing|breaks|broke|happens|happened) because\b",
    r"根本原因|问题(?:是|在于|出在)|原因は|原因是|la cause (?:est|était)|le problème (?:vient|venait|est|était)",
)
_CAUSE_HINTS = (
    "root cause", "issue ", "problem ", "bug ", "reason ", "culprit", "failure ", "turns out", "because",
    "原因", "问题", "la cause", "le problème",
)  # fmt: skip

_OPTION = re.compile(r"(?:option\s+)?\(?([A-Ha-h]|[1-9])\s*[).。、,:]?(?:\s+|$|(?=[.,!]))", re.IGNORECASE)
_OPTION_LINE = re.compile(
    r"^\s*[|>]?\s*(?:[-*]\s+)?(?:\*\*|#+\s*)?(?:option\s+)?\(?([A-H]|[1-9])[).:：、](?:\*\*)?\s+(.+)$",
    re.IGNORECASE,
)
_NO_OPTION = re.compile(r"something else|other\b|none of", re.IGNORECASE)
_LONGEST_CHOICE = 200
_OFFER = 6_000


def constraints_in(text: str) -> list[str]:
    """The sentences of a user's message that limit how the work is to be done."""
    return [sentence for sentence in sentences(text) if _is_constraint(sentence)]


def decisions_in(text: str) -> list[str]:
    """The sentences of a user's message that settle something."""
    return [sentence for sentence in sentences(text) if _is_decision(sentence)]


def model_decisions_in(text: str) -> list[str]:
    """The sentences of the model that state a decision together with its reason."""
    lowered = text.lower()
    if not any(hint in lowered for hint in _MODEL_HINTS):
        return []
    return [
        sentence
        for sentence in sentences(text)
        if len(sentence) > 30 and _MODEL_DECISION.search(sentence) and _REASON.search(sentence)
        and not is_question(sentence)
    ]  # fmt: skip


def causes_in(text: str) -> list[str]:
    """The sentences of the model that say what the cause of a problem was."""
    lowered = text.lower()
    if not any(hint in lowered for hint in _CAUSE_HINTS):
        return []
    return [
        sentence
        for sentence in sentences(text)
        if len(sentence) > 40
        and _CAUSE.search(sentence)
        and not sentence.endswith((":", "："))
        and not is_question(sentence)
    ]


def chosen_option(choice: str, offer: str) -> str:
    """What an answer such as ``A.`` or ``option 2`` chose from the model's last message.

    Returns the question and the option on one line, "" when it is not clear that something was chosen.
    """
    choice = choice.strip()
    mark = _OPTION.match(choice)
    if mark is None or len(choice) > _LONGEST_CHOICE or re.match(r"a\s+[a-z]", choice) or "\n2" in choice:
        return ""
    question = option = asked = ""
    for line in offer[-_OFFER:].split("\n"):
        found = _OPTION_LINE.match(line)
        if found is None:
            bare = line.replace("**", "").strip(" -*#>|")
            question = bare if bare.endswith(("?", "？", ":", "：")) else question
        elif found[1].upper() == mark[1].upper():
            option, asked = _bare_option(found[2]), question
    if len(option) < 3 or _NO_OPTION.match(option) or option[:40].casefold() in choice.casefold():
        return ""
    return f"{asked.rstrip(':：')} → {option}" if asked else option


def _bare_option(text: str) -> str:
    cells = [cell.strip() for cell in text.replace("**", "").strip(" |").split("|")]
    return " — ".join(cell for cell in cells if cell)


def _is_constraint(sentence: str) -> bool:
    if is_question(sentence) or _is_decision(sentence):
        return False
    return bool(
        _CONSTRAINT.search(sentence) or _CONSTRAINT_FR.search(sentence) or _CONSTRAINT_CJK.search(sentence)
    )


def _is_decision(sentence: str) -> bool:
    return bool(_DECISION.search(sentence)) and not is_question(sentence)


class StatementLog:
    """Keeps statements, each wording once."""

    def __init__(self) -> None:
        self._statements: dict[str, Statement] = {}

    def add(self, statement: Statement) -> None:
        """Take a statement; the first of several with the same words stays."""
        key = "".join(char for char in statement.text.casefold() if char.isalnum())
        if not key or any(known.startswith(key) or key.startswith(known) for known in self._statements):
            return
        if len(self._statements) < _COUNT_LIMIT:
            self._statements[key] = statement

    def finish(self) -> tuple[Statement, ...]:
        """All statements, first to last."""
        return tuple(self._statements.values())


def statement(text: str, sentence: str, source: Source, timestamp: str) -> Statement:
    """A statement on one line, its sentence as it stands."""
    line = " ".join(text.split())
    return Statement(line[:_TEXT_LIMIT], sentence.strip()[:_TEXT_LIMIT], source, timestamp)
