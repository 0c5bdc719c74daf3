"""Secrets are masked by their form; what only looks a little like one stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.documents.secrets import masked

HEX = "a1b2c3d4e5f6a7b8c9d0"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"key sk-ant-{HEX}{HEX} here", "key *** here"),
        (f"ghp_{HEX}{HEX[:16]}", "***"),
        ("AKIA" + "ABCD1234" * 2, "***"),
        ("xoxb-123456789012-abcdef", "***"),
        (f"Authorization: Bearer {HEX}", "Authorization: Bearer ***"),
        ("postgres://me:hunter2@db/x", "postgres://me:***@db/x"),
        (f"export API_TOKEN={HEX}", "export API_TOKEN=***"),
        (f'"password": "{HEX}"', '"password": "***"'),
        ("The DB password is hunter2!.", "The DB password is ***."),
        ("mot de passe : Soleil42", "mot de passe : ***"),
        ("数据库密码是 Geheim7x，请勿外传", "数据库密码是 ***，请勿外传"),
        (f"eyJ{HEX}.eyJ{HEX}.{HEX}", "***"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----",
        ),
    ],
)
def test_a_secret(text: str, shown: str) -> None:
    assert masked(text) == (shown, 1)


@pytest.mark.parametrize(
    "text",
    [
        "the token is refreshed twice",
        "token: string",
        "const token = getToken2(user)",
        "password=process.env.PASSWORD2",
        "the password is required and has 12 characters",
        "password: Field(min_length=8)",
        "password: string, length=20",
        "Password is hashed2.with(salt)",
        "commit a1b2c3d4e5f6a7b8c9d0",
        "max_tokens: 4096",
        "https://example.org:8080/path@2x",
        "${{ secrets.TAP_GITHUB_TOKEN }}",
        "skeleton-of-a-thing-that-is-long-enough",
    ],
)
def test_no_secret(text: str) -> None:
    assert masked(text) == (text, 0)


@given(text=st.text())
def test_masking_again_changes_nothing(text: str) -> None:
    once, _ = masked(text)
    assert masked(once)[0] == once


@pytest.mark.parametrize("piece", ["a-", "a.", "eyJ-", "token=", "a://b:", "ghp_-"])
def test_a_long_text_that_is_nearly_a_secret_takes_no_time(piece: str) -> None:
    text = piece * 50_000
    assert len(masked(text)[0]) <= len(text)
