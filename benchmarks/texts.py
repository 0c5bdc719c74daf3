"""Texts like memories, many and all different: words by the frequencies of prose, code, four scripts.

Made from a seed, so that every run measures the same.
"""

from __future__ import annotations

import random
from itertools import accumulate

from data import NEWEST, Place, memory_file, memory_id
from memtui.documents.memory import MemoryMeta, StoredMemory, render_stored

_SYLLABLES = """
ba be bi co cu da de di do el en er fa fi ga go in ka la le li lo ma me mi mo na ne no on pa pe po
ra re ri ro sa se si so sta ta te ti to tra tri un ve vi
"""
_COMMON = """
the of to and a in is it was for that on with as be this are by not from at or an have if we all can
but which when test file add fix use run error session memory token
"""
_CHINESE = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
    "用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实"
    "日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政"
    "美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员"
    "解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件"
    "计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象"
    "完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运"
)
_KANA = "ののにはをたがでてとしれさあるいもなよかっらりこせまどメモリトークンエラーテスト更新確認実装修正認証"
_HANGUL = "이다는을가에의고하지도로한서사기대해그리자정시수부나인어있스토큰오류수정확인메모리"
_EXTENSIONS = ("py", "ts", "md", "rs", "go")


class Texts:
    """Makes texts of some 1.5 KB."""

    def __init__(self, seed: int = 7, words: int = 30_000) -> None:
        self.random = random.Random(seed)
        syllables = _SYLLABLES.split()
        made = ("".join(self.random.choices(syllables, k=self.random.randint(2, 5))) for _ in range(words))
        self.words = list(dict.fromkeys([*_COMMON.split(), *made]))
        self._words = list(accumulate(1 / (rank + 2) for rank in range(len(self.words))))
        self._chinese = list(accumulate(1 / (rank + 5) for rank in range(len(_CHINESE))))

    def word(self) -> str:
        """A word, common ones often."""
        return self.random.choices(self.words, cum_weights=self._words)[0]

    def prose(self, number: int) -> str:
        """Words with commas and stops."""
        words = self.random.choices(self.words, cum_weights=self._words, k=number)
        for place in range(7, number, 11):
            words[place] += "," if place % 2 else "."
        return " ".join(words)

    def identifier(self) -> str:
        """A name as in code."""
        one, two, three = (self.word() for _ in range(3))
        kind = self.random.randrange(4)
        if kind == 0:
            return f"{one}{two.title()}By{three.title()}"
        if kind == 1:
            return f"{one}_{two}_{three}"
        if kind == 2:
            return f"src/{one}/{two}.{self.random.choice(_EXTENSIONS)}"
        return f"{one}-{two}"

    def foreign(self, number: int) -> str:
        """Chinese, Japanese or Korean."""
        kind = self.random.randrange(4)
        if kind < 2:
            return "".join(self.random.choices(_CHINESE, cum_weights=self._chinese, k=number))
        return "".join(self.random.choices(_KANA if kind == 2 else _HANGUL, k=number))

    def text(self) -> str:
        """One text."""
        lines = ["# Session Recovery", "", "## Objective", self.prose(14), "", "## Working Files"]
        lines += [f"- {self.identifier()}: {self.prose(4)}" for _ in range(8)]
        lines += ["", "## Decisions"]
        lines += [f"- {self.prose(12)} café naïve" if n == 1 else f"- {self.prose(12)}" for n in range(4)]
        if self.random.random() < 0.5:
            lines += [f"- {self.foreign(24)}，{self.foreign(18)}。" for _ in range(5)]
        else:
            lines.append(self.prose(60))
        lines += ["", "## Notes", f"commit {self.random.getrandbits(40):010x}, {self.prose(20)}", ""]
        return "\n".join(lines)


def is_wide(char: str) -> bool:
    """Whether a character is of a script that is written without blanks."""
    return "\u3000" < char < "\ud7ff" and char not in "，。"


def write_texts(place: Place, number: int) -> None:
    """Write the memories 0 to `number` of a place, 0 being the newest, each with its own text."""
    texts = Texts()
    meta = MemoryMeta(
        id=memory_id(0),
        project="/work/payments",
        created=NEWEST,
        updated=NEWEST,
        description="the refresh race",
        tags=("auth", "payments"),
        source="import",
    )
    head = render_stored(StoredMemory(meta=meta, body=b""))
    for index in range(number):
        path = memory_file(place, index)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        moment = path.stem.removeprefix("CMEM-")
        mine = head.replace(memory_id(0).encode(), path.stem.encode())
        day, clock = moment.split("-")
        created = f"{day[:4]}-{day[4:6]}-{day[6:]}T{clock[:2]}:{clock[2:4]}:{clock[4:]}{NEWEST:%z}"
        mine = mine.replace(meta.created.isoformat().encode(), created.encode())
        path.write_bytes(mine + texts.text().encode())
