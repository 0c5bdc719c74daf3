"""Memories to search: generated texts of many languages, and the plainest possible search to compare with."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memtui.documents.memory import MemoryMeta, StoredMemory, render_stored
from memtui.ground.project import Home

NOW = datetime(2026, 1, 3, 12, 0, tzinfo=UTC)
PROJECT = "/home/me/app"

_WORDS_TEXT = r"""
the of and to in token tokens refresh session sessions memory error errors user username users parse
Parser compaction state stateful author authority auth café naïve résumé Straße über Ångström
İstanbul ﬁnal ﬀ x² № Ａｐｉ ｶﾞﾗｽ été it's it’s don't C++ C# F# a.b foo-bar foo_bar --force $HOME 100%
3.14 привет мир Ёлка καλημέρα Σίσυφος שלום עולם السلام عليكم สวัสดีครับ नमस्ते हिन्दी 🎉 👩‍💻 ❤️ 🇩🇪 (
) ((x)) [y] {z} "quoted" “curly” «guillemets» * ** AND OR NOT NEAR( col:val ^x a* \ / // \n %s
"""
_CODE_TEXT = r"""
getUserById set_user_name src/auth.py src/auth_test.py tests/api/test_auth.py CMEM-20260102-101500
HTTPServer2Error parse_json2dict foo::bar::Baz x->y a=b&c=d user@example.com http://x.de/a?b=c#d
v1.2.3-rc.4
"""
_WORDS = _WORDS_TEXT.split()
_CODE = _CODE_TEXT.split()
_HAN = (
    "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么"
)
_KANA = "あいうえおかがきぎくぐけげこごさざしじテストトークンエラー更新確認ーメモリ"
_HANGUL = "메모리토큰오류확인수정세션한글하다가나다라각간갈"


def home(folder: Path) -> Home:
    return Home(folder / "data", folder / "cache", folder / "state", folder / "config")


def made(number: int) -> datetime:
    """When memory `number` was made; 0 is the newest."""
    return NOW - timedelta(minutes=47) * (number + 1)


def memory_id(number: int) -> str:
    return f"CMEM-{made(number):%Y%m%d-%H%M%S}"


def path_of(where: Home, number: int) -> Path:
    return where.memories / f"{made(number):%Y-%m}" / f"{memory_id(number)}.md"


def add(
    where: Home,
    number: int,
    body: str | bytes,
    *,
    description: str = "",
    tags: tuple[str, ...] = (),
    project: str = PROJECT,
) -> Path:
    """Write memory `number`, as a whole: a file edited in place is noticed later on a busy machine."""
    meta = MemoryMeta(
        id=memory_id(number),
        project=project,
        created=made(number),
        updated=made(number),
        description=description,
        tags=tags,
    )
    path = path_of(where, number)
    path.parent.mkdir(parents=True, exist_ok=True)
    data = body.encode() if isinstance(body, str) else body
    new = path.with_suffix(".new")
    new.write_bytes(render_stored(StoredMemory(meta=meta, body=data)))
    return new.replace(path)


class Corpus:
    """Texts and queries made from a seed."""

    def __init__(self, seed: int = 11) -> None:
        self.random = random.Random(seed)
        letters = "abcdefghijklmnopqrstuvwxyz"
        self._rare = [
            "".join(self.random.choices(letters, k=self.random.randint(3, 11))) for _ in range(3000)
        ]

    def text(self) -> str:
        choices = self.random.choices
        lines = []
        for _ in range(self.random.randint(2, 9)):
            kind = self.random.random()
            if kind < 0.5:
                words = choices(_WORDS, k=5) + choices(_CODE, k=1) + choices(self._rare, k=4)
                self.random.shuffle(words)
                lines.append(self.random.choice((" ", " ", "  ", "\t")).join(words))
            else:
                script = _HAN if kind < 0.7 else _KANA if kind < 0.85 else _HANGUL
                lines.append("".join(choices(script, k=20)) + "，" + "".join(choices(script, k=9)) + "。")
        return self.random.choice(("\n", "\r\n", "\n\n")).join(lines)

    def query(self, text: str) -> str:
        """A part of a text: a word, its beginning, its middle, a phrase, characters, two words."""
        pick = self.random
        words = text.split()
        word = pick.choice(words)
        kind = pick.randrange(6)
        if kind == 0:
            return word
        if kind == 1:
            return word[: pick.randint(1, 6)]
        if kind == 2:
            start = pick.randrange(len(word))
            return word[start : start + pick.randint(1, 8)]
        if kind == 3:
            return f"{word} {pick.choice(words)[:5]}"
        if kind == 4:
            start = pick.randrange(len(words))
            return '"' + " ".join(words[start : start + pick.randint(2, 3)]).replace('"', "") + '"'
        start = pick.randrange(len(text))
        return text[start : start + pick.randint(1, 4)]
