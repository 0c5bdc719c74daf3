"""Whatever stands in a text is found by its tokens; sets of memories survive being stored."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.store.folding import fold
from memtui.store.index.bits import decode, descending, encode, every, from_bytes, from_numbers, to_bytes
from memtui.store.index.tokens import (
    chunks,
    grams,
    is_part_of_word,
    is_token,
    junctions,
    needed_tokens,
    open_end,
    words,
)

_TEXTS = st.text(st.sampled_from("ab  c.é国字가あ🎉"), max_size=60) | st.text(
    st.sampled_from("abcdefg/-_.1 "), min_size=1, max_size=400
)
_LONG = st.text(st.sampled_from("abcdefghijklmnop"), min_size=60, max_size=300)
_SETS = st.sets(st.integers(0, 4095)) | st.sets(st.integers(0, 4095), min_size=300)


@given(_TEXTS | _LONG, st.data())
def test_every_part_of_a_text_is_found_by_its_tokens(text: str, data: st.DataObject) -> None:
    folded = fold(text)
    start = data.draw(st.integers(0, len(folded)))
    term = fold(folded[start : start + data.draw(st.integers(1, 40))])
    found = chunks(folded)
    tokens = junctions(found).union(*map(grams, found))
    if not term:
        return
    if is_token(term):
        assert term in tokens
    else:
        assert tokens.issuperset(needed_tokens(term))
        assert any(token.startswith(open_end(term)) for token in tokens)
    if is_part_of_word(term):
        assert any(term in word for chunk in found for word in words(chunk))
    for chunk in found:
        assert all(word in chunk and len(word) <= 64 for word in words(chunk))


@given(_SETS, st.integers(0, 50))
def test_sets_survive_being_stored(numbers: set[int], base: int) -> None:
    size = base + 4096
    bits = from_numbers(numbers, size)
    shifted = from_numbers({base + number for number in numbers}, size)
    blobs = [(base, encode(bits))] if numbers else []
    assert decode(blobs, size) == shifted
    assert decode([*blobs, *blobs], size) == shifted
    assert from_bytes(to_bytes(bits)) == bits
    assert list(descending(bits)) == sorted(numbers, reverse=True)
    assert every(bits, 1) == bits
    assert list(descending(every(bits, 3))) == [n for n in descending(bits) if n // 8 % 3 == 0]
