"""The wordings of decisions, constraints and causes in English, French, Chinese and Japanese.

Constraints are known in German, Spanish, Portuguese, Russian and Korean, too.

Each rule names words of which a sentence must hold one; only then its patterns are tried: they take longer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memtui.reading.sentences import Stems

_OPENERS = frozenset(
    {"and", "but", "so", "also", "please", "just", "then", "ok", "okay", "yes", "yeah", "no"}
    | {"et", "mais", "donc", "surtout", "alors"}
)
_BREAKS = ",;:(–—"


_WORD = re.compile(r"[a-z]['’a-z]*")


def words_of(lowered: str) -> frozenset[str]:
    """The ASCII words of a text in lower case."""
    return frozenset(_WORD.findall(lowered))


class Rule:
    """Wordings that mean something.

    Args:
        hints: words of which a sentence must hold one, separated by spaces; those of other scripts than ASCII
            count anywhere.
        orders: patterns that count where a clause begins: "don't" behind a subject ("I don't know") is none.
        phrases: patterns that begin with a word.
        others: patterns for scripts without spaces, or with anchors of their own.
    """

    def __init__(
        self, hints: str, orders: Sequence[str] = (), phrases: Sequence[str] = (), others: Sequence[str] = ()
    ) -> None:
        self._words = frozenset(hint for hint in hints.split() if hint.isascii())
        self._parts = tuple(hint for hint in hints.split() if not hint.isascii())
        self._orders = _compiled(orders, r"\b")
        # One word boundary before all of them: the engine then passes quickly over the inside of words.
        self._phrases = _compiled(phrases, r"\b")
        self._others = _compiled(others, "")

    def hinted(self, lowered: str, words: frozenset[str]) -> bool:
        """Whether it is worth trying `fits` on a text in lower case with these words."""
        if not self._words.isdisjoint(words):
            return True
        if not lowered.isascii():
            for part in self._parts:
                if part in lowered:
                    return True
        return False

    def fits(self, sentence: str) -> bool:
        """Whether a sentence is worded so."""
        if self._phrases is not None and self._phrases.search(sentence):
            return True
        if self._others is not None and self._others.search(sentence):
            return True
        if self._orders is None:
            return False
        return any(_begins_clause(sentence, match.start()) for match in self._orders.finditer(sentence))


def _compiled(patterns: Sequence[str], before: str) -> re.Pattern[str] | None:
    return re.compile(f"{before}(?:{'|'.join(patterns)})", re.IGNORECASE) if patterns else None


def _begins_clause(sentence: str, at: int) -> bool:
    before = sentence[:at].rstrip()
    if not before or before[-1] in _BREAKS or before.endswith(" -"):
        return True
    return before.rsplit(None, 1)[-1].strip("(\"'").lower() in _OPENERS


CONSTRAINTS = (
    Rule(
        "don't don’t dont do never avoid stop always only exclusively ensure make sure remember prefer keep "
        "concise brief careful terse let's let’s won't won’t wont rather must mustn't mustn’t shouldn't "
        "shouldn’t should needs need has have allowed forbidden off circumstances default please without no "
        "instead retained unchanged untouched want",
        orders=[
            r"(?:don['’]?t|do not|never)\s+"
            r"(?!know|think|see|mind|care|worry|understand|remember|get\b|now\b|here\b)[a-z]+\b",
            r"(?:avoid|stop) \w+ing\b",
            r"(?:avoid|always|only|exclusively|ensure|make sure|be sure to|remember to|prefer)\s+[a-z'’]+",
            r"keep (?:it|the|this|that|all|both|every|using|to)\b(?! going)",
            r"be (?:concise|brief|careful|terse|short)\b",
        ],
        phrases=[
            r"let['’]?s (?:not|avoid|only|never|keep it)\b",
            r"(?:i|we) (?:really |explicitly |definitely |still )?"
            r"(?:don['’]?t|do not|never|won['’]?t) (?:ever )?"
            r"(?:want|need to touch|allow|accept|compromise)\b",
            r"i(?:['’]d| would) (?:much )?(?:rather|prefer)\b",
            r"i (?:actually |really |generally )?prefer\b",
            r"i want (?:the|this|it|that|all|my|our|these|those)\b.{2,90}"
            r"\b(?:instead of|rather than|retained|unchanged|untouched)\b",
            r"(?:must|mustn['’]?t|must not|shouldn['’]?t|should (?:not|never|only))\s+\w+",
            r"(?:needs? to be|ha(?:s|ve) to be)\s+\w+",
            r"(?:it|this|that|these|those|they|the [\w-]+) should (?:also|always|still|at least)\b",
            r"(?<!if )(?<!when )(?<!whether )(?<!what )(?<!that )we (?:really |definitely |only )?want "
            r"(?:the|an?|something|it|them|these|those|either|both|no|only|our)\b",
            r"(?:not allowed to|forbidden|off[- ]limits|under no circumstances)\b",
            r"(?:by default it should|default to)\b",
            r"please (?:always |only )?use\b",
            r"(?:do|use|run|change|edit|touch|write|add|apply|fix|work) .{0,60}\bonly\b",
            r"without (?:changing|touching|breaking|adding|using|modifying|removing|losing|introducing)\b",
            r"no (?:need (?:to|for)|new dependenc|external dependenc|breaking changes|\w+ \w+ needed)",
        ],
    ),
    Rule(
        "pas jamais plus rien évite évitez assure assurez veille veillez garde gardez préfère uniquement "
        "faut dois devez doit doivent toujours obligatoirement interdit impérativement veux sans",
        orders=[
            r"(?:ne |n['’])\w[\w-]*(?: \w+)? (?:pas|jamais|plus|rien)\b",
            r"(?:évite|évitez|assure-toi|assurez-vous|veille à|veillez à|garde|gardez|préfère)\b",
            r"pas de \w+",
        ],
        phrases=[
            r"(?:il (?:ne )?faut|tu (?:ne )?dois|vous (?:ne )?devez|doi(?:t|vent)|on ne doit)\b",
            r"(?:toujours|jamais|uniquement|obligatoirement|interdit|surtout pas|impérativement)\b",
            r"je (?:ne veux pas|préfère|préférerais|veux que)\b",
            r"sans (?:modifier|changer|toucher|casser|ajouter|utiliser)\b",
        ],
    ),
    Rule(
        "不 禁止 必 一定要 只 勿 请 避免 始终 而不是 优先 别 保持 仅",
        others=[
            r"不要|不得|禁止|必须|必須|务必|一定要|只能|只用|请勿|請勿|请用|请使用|不允许|不许",
            r"避免|始终|而不是|优先(?:使用|用|考虑)|不能(?:用|改|使用|修改|删|有|出现|动|影响|破坏)",
            r"(?:^|[，,。；])别(?![的人处])",
            r"不是(?:用|使用|通过|靠).{1,30}而是(?:用|使用|通过|靠)",
            r"不用.{1,12}[，,]?(?:用|改用)|保持.{0,12}(?:不变|一致|原样|风格)|仅(?:用|限|在|对)",
        ],
    ),
    Rule(
        "ない 必ず 絶対 禁止 ように 以外は 不要 だけ のみ 使って 統一 回答 返答",
        others=[
            r"ないで(?:ください|下さい|ほしい|欲しい|くれ|ね|。|！|$)|しない(?:こと|ように)|必ず|絶対に?",
            r"べき(?:では|じゃ)ない|なければならない|ないといけない|ようにして|以外は|は不要",
            r"だけ.{0,12}(?:して|使って)|のみ(?:で|を|に|使|。)|(?:で|に)(?:統一|回答|返答)して",
            r"(?:を|で)使って(?:ください|下さい|ほしい|。|$)",
        ],
    ),
    Rule(
        "nicht kein keine keinen keiner keines nie niemals keinesfalls nur ohne vermeide muss müssen",
        orders=[
            r"(?:verwende|benutze|nutze|ändere|füge|lösche|nimm|mach|schreib|rühr|fass|installier|lass)(?:en?)?\b"
            r".{0,60}\b(?:nicht|keine?[nrs]?|nie|niemals|nur)\b",
            r"(?:vermeide|nur)\b",
        ],
        phrases=[
            r"(?:darf|dürfen|soll|sollen|sollte|sollten) (?:\w+ ){0,4}(?:nicht|nur|keine?[nrs]?)\b",
            r"(?:muss|müssen) (?:\w+ ){0,4}\w+(?:en|in)\b",
            r"(?:auf keinen Fall|unter keinen Umständen|keinesfalls|niemals)\b",
            r"ohne .{1,60}\bzu (?:ändern|brechen|verwenden|benutzen|verändern)\b",
        ],
    ),
    Rule(
        "no não nunca jamás siempre sempre evita evite debe deben deve devem sin sem",
        orders=[
            r"(?:no|nunca|jamás) (?:uses?|cambies?|toques?|agregues?|añadas?|modifiques?|borres?|elimines?"
            r"|instales?|hagas?|pongas?|rompas?|escribas?|utilices?|crees?)\b",
            r"(?:não|nunca) (?:use|mude|altere|toque|adicione|remova|modifique|apague|instale|faça|crie"
            r"|quebre)m?\b",
            r"(?:evita|evite|siempre|sempre)\b",
        ],
        phrases=[
            r"(?:deben? ser|deben? estar|devem? ser|devem? estar|responde siempre|responda sempre)\b",
            r"(?:sin|sem) (?:cambiar|tocar|romper|usar|modificar|añadir|alterar|mudar|quebrar|adicionar)\b",
        ],
    ),
    Rule(
        "не нельзя обязательно запрещено только",
        others=[
            r"\bне (?:добавляй|меняй|изменяй|трогай|используй|удаляй|пиши|делай|создавай|ломай"
            r"|устанавливай)(?:те)?\b",
            r"\b(?:нельзя|запрещено|ни в коем случае|обязательно)\b|\bтолько (?:на|через|в|с)\b",
        ],
    ),
    Rule(
        "지 반드시 절대 금지 하면",
        others=[
            r"지\s?(?:마|말)(?:세요|십시오|라|아|고|자)|반드시|절대(?:로)?\s|금지|하면 안 ?(?:돼|됩|된)",
        ],
    ),
)
"""What limits how the work is to be done, in the user's words."""

DECISIONS = (
    Rule(
        "let's let’s lets i'll i’ll we'll we’ll will going decided chose opted settled picked think guess "
        "rename call go first perfect best right no nope nah nothing much big complex complicated risky "
        "fragile expensive heavy slow getting dropping sticking",
        phrases=[
            r"let['’]?s (?:go with|use|store|keep(?! (?:going|it simple))|drop|stick (?:to|with)|switch to"
            r"|leave|skip|call it|bump|go for|stop \w+ing|just (?:drop|use|keep))\b",
            r"(?:we|i)(?:['’]re| are|['’]m| am) (?:getting rid of|dropping|going for|sticking (?:with|to))\b",
            r"(?:we|i)(?:['’]ll|['’]re going to| will| are going to)"
            r" (?:go with|use|keep|drop|stick (?:to|with)|switch to)\b",
            r"(?:i|we)(?:['’]ve| have)? (?:decided|chose|opted|settled on|picked)\b",
            r"i (?:think|guess) (?:option )?(?:[a-d]|\d)\)?,? (?:is|would be|sounds|seems|works)\b",
            r"i think (?:option )?[b-d]\)?,",
            r"we do \w+-first\b",
            r"(?:sounds|seems) (?:perfect|best|right)\b",
        ],
        others=[
            r"^(?:yes|yeah|ok|okay|yep|no)?,?\s*(?:rename|call) (?:it|this|them) (?:to\s+)?\S+",
            r"^(?:go|going) with\b",
            r"^(?:[a-h]\)\s*)?(?:yes|yeah|ok|okay|sure|cool|right|fine)[,.]? let['’]?s go "
            r"(?!ahead|on|back|now|then|there|live|next|again|further|deeper|slow|fast|all|out|in)\w[\w.+-]*[.!]?$",
            r"^(?:no|nope|nah)\b[,.]? (?:let['’]?s )?(?:remove|drop|revert|undo|leave|keep|skip)\b",
            r"^(?:ok(?:ay)?|yes)?[,.]?\s*do nothing\b",
            r"^(?:i (?:think|guess|feel)\b.{1,60}|(?:that|this|it)) (?:is|['’]s|seems|sounds) (?:way )?too? "
            r"(?:much|big|complex|complicated|risky|fragile|expensive|heavy|slow)\b",
        ],
    ),
    Rule(
        "on j'ai j’ai nous",
        phrases=[
            r"on (?:part sur|va utiliser|utilise|garde|abandonne)\b",
            r"(?:j['’]ai|nous avons) (?:décidé|choisi)\b",
        ],
    ),
    Rule(
        "决定 选 采用 改用 用",
        others=[
            r"(?:我们|我|就|还是|那就|最终)(?:决定|选择|选|采用|改用|用)|决定(?:用|使用|采用)",
            r"采用.{1,40}(?:方案|方式|方法|架构)",
        ],
    ),
    Rule(
        "しよう 行こう いこう します 決め 採用 選",
        others=[r"にしよう|で行こう|でいこう|にします|に決め|を採用|を選"],
    ),
)
"""What settles something, in the user's words."""

# The model decides all the time; what counts is a decision stated as one, with its reason.
MODEL_DECISION = Rule(
    "",
    phrases=[
        r"(?:i|we)(?:['’]ve| have)? (?:decided|chose|opted|settled on)\b",
        r"(?:i['’]ll|i will|we['’]ll|i['’]m going to) go with\b",
        r"j['’]ai (?:décidé|choisi|opté)",
    ],
    others=[
        r"^(?:(?:design|key|final|main|architectural) )*decision\s*:",
        r"决定(?:用|使用|采用|把|将)|选择了|に(?:しました|決めました)|を採用しました",
    ],
)
REASON = Rule(
    "",
    phrases=[
        r"(?:because|since|so that|rather than|instead of|to avoid|due to|as it)\b",
        r"which (?:avoids|keeps|means)\b",
        r"(?:parce que|afin de|plutôt que|pour éviter)\b",
    ],
    others=[r"因为|以便|避免|而不是|ため|ので"],
)
CAUSE = Rule(
    "",
    phrases=[
        r"root cause (?:is|was)\b",
        r"turns out\b",
        r"(?:fails|failed|failing|breaks|broke|happens|happened) because\b",
        r"la cause (?:est|était)\b",
        r"le problème (?:vient|venait|est|était)\b",
    ],
    others=[
        r"^(?:so |now i see[:,]? )?(?:the|this) (?:issue|problem|bug|reason|culprit|failure) (?:is|was)\b",
        r"根本原因|问题(?:是|在于|出在)|原因は|原因是",
    ],
)

DECISION_STEMS = Stems(
    "deci", " chose ", "opted for", "settled on", " go with",
    "'ai choisi", "'ai opté", "'ai décidé", "决定", "选择了", "にしました", "決めました", "を採用",
)  # fmt: skip
CAUSE_STEMS = Stems(
    "cause", " issue ", " problem ", " bug ", "reason ", "culprit", "turns out", "problème", "原因", "问题",
)  # fmt: skip
