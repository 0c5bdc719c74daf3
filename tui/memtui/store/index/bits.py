"""Sets of numbers as bits: how the index notes which memories hold a token.

In the database a set is a blob, counted from the first number of its segment: either the numbers, two bytes
each, or, where that would be longer, one bit a number. In memory a set is one large integer, whose bit `n`
says whether `n` is in it: to intersect 100,000 memories takes some microseconds, and so does counting.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator

_BITS = 1
"""The first byte of a blob that holds one bit a number; 0 of one that holds numbers."""


def encode(bits: int) -> bytes:
    """The blob of a set, counted from 0."""
    length = (bits.bit_length() + 7) // 8
    number = bits.bit_count()
    if 2 * number > length:
        return b"\1" + bits.to_bytes(length, "little")
    offsets = array("H")
    while bits:
        last = bits.bit_length() - 1
        offsets.append(last)
        bits ^= 1 << last
    if sys.byteorder == "big":
        offsets.byteswap()
    return b"\0" + offsets.tobytes()


def decode(rows: Iterable[tuple[int, bytes]], size: int) -> int:
    """The set of several segments.

    Args:
        rows: (base, blob) of each; they may overlap.
        size: one more than the largest number.
    """
    bits = bytearray(size // 8 + 1)
    whole = 0
    for base, blob in rows:
        if blob[0] == _BITS:
            whole |= int.from_bytes(blob[1:], "little") << base
            continue
        offsets = array("H", blob[1:])
        if sys.byteorder == "big":
            offsets.byteswap()
        for offset in offsets:
            number = base + offset
            bits[number >> 3] |= 1 << (number & 7)
    return whole | int.from_bytes(bits, "little")


def from_numbers(numbers: Iterable[int], size: int) -> int:
    """The set of some numbers below `size`."""
    bits = bytearray(size // 8 + 1)
    for number in numbers:
        bits[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(bits, "little")


def to_bytes(bits: int) -> bytes:
    """A set as a blob of its own."""
    return bits.to_bytes(bits.bit_length() // 8 + 1, "little")


def from_bytes(blob: bytes) -> int:
    """The set of such a blob."""
    return int.from_bytes(blob, "little")


def every(bits: int, step: int) -> int:
    """Of each `step` times eight neighbouring numbers the first eight, as far as they are in a set."""
    pattern = (b"\xff" + bytes(step - 1)) * (bits.bit_length() // (8 * step) + 1)
    return bits & int.from_bytes(pattern, "little")


def descending(bits: int) -> Iterator[int]:
    """The numbers of a set, the largest first."""
    blob = bits.to_bytes(bits.bit_length() // 8 + 1, "little")
    for place in range(len(blob) - 1, -1, -1):
        byte = blob[place]
        if byte:
            start = place << 3
            for bit in (7, 6, 5, 4, 3, 2, 1, 0):
                if byte >> bit & 1:
                    yield start + bit
