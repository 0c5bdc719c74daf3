"""Secrets are masked by form and by place; lookalikes stay."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.documents.memory_file import draft_memory
from memtui.documents.recovery import render_recovery
from memtui.documents.recovery_draft import draft_recovery
from memtui.ground.text import matcher
from memtui.hooks.compaction import first_prompt
from memtui.secrets.secrets import MASK, _near, find, masked
from memtui.secrets.values import pattern, table
from tests.documents.checks import ends_soon
from tests.secrets.forms import forms
from tests.secrets.ordinary_lines import ordinary_lines
from tests.secrets.test_private import FORMS, SECRET, UNCLOSED
from tests.transcripts import Transcript

_LINES = 10_000


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_98_of_100_forms_are_found(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed == 3:  # as in a hook
        monkeypatch.delitem(sys.modules, "pydantic_core")
    missed = []
    every = forms(seed=seed)
    for text, values in every:
        left = masked(text)
        if MASK not in left or any(len(value) >= 8 and value in left for value in values):
            missed.append(text)
        assert masked(left) == left
    assert len(missed) <= 0.02 * len(every), missed


def test_a_secret_among_ordinary_lines_is_masked_as_it_is_alone() -> None:
    ordinary = "\n".join(ordinary_lines(20))
    for text, _ in forms():
        assert masked(f"{ordinary}\n{text}\n{ordinary}") == f"{ordinary}\n{masked(text)}\n{ordinary}"


@pytest.mark.parametrize(
    "line",
    [
        '* "git pull --rebase" did not pass "-v/-q" options to underlying',
        'TOKEN = "[a-zA-Z_][a-zA-Z0-9_-]*"',
        "man3/key_setsecret.3 man3/l64a.3 man2/memfd_secret.2 man2/mlock.2",
        "'sodium_crypto_kx_publickey', 'sodium_crypto_pwhash_scryptsalsa208sha256_str_verify',",
        "my ($user, $pass) = CPAN::HTTP::Credentials->$cred_method;",
        "All checks pass:\n- **lint**: Clean\n- **Build succeeds**",
        "Load and return a dynamic library identified by 'name'.",
        "pass `result_type=` explicitly.",
        "perldoc -u Some::Modulename2",
        "    private_key: Ed25519PrivateKey | Ed448PrivateKey",
        'fields = ["password", "email2", "created_at"]',
        '| password | string | "required" |',
        'page.getByLabel("Password").fill(user2.password)',
        "docker run -u 1000 -p 8080:80 web",
        "unzip -q a.zip && mkdir -p dir/x1",
        "var e={token:t.token,password:r.password},o=6;return e.secret=o.secret,e",
        "\u30d1\u30b9\u30ef\u30fc\u30c9\u306f7525\u6587\u5b57\u4ee5\u4e0a\u3067\u3059\u3002",
        "postgres://user:password@localhost:5432/shop",
        "--color-token-password-1: #a4121290;",
        "    def __init__(self, password: bytes):",
        "    self, private_key: ed25519.Ed25519PrivateKey, f_priv: _FragList",
        'print(f"password={password!r}")',
        "    :type passphrase: :py:data:`bytes`",
        "        password (bool, optional): Enable password input.",
    ],
)
def test_what_looks_like_a_secret_in_code_stays(line: str) -> None:
    assert masked(line) == line


def test_no_false_alarm_in_ordinary_lines() -> None:
    lines = ordinary_lines(_LINES)
    assert [line for line in set(lines) if masked(line) != line] == []  # some are there many times
    assert find("\n".join(lines)) == ()


HEX = "a1b2c3d4e5f6a7b8c9d0"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"Authorization: Bearer {HEX}", "Authorization: Bearer [masked: authorization]"),
        ("\ud800postgres://me:hunter2@db/x", "\ud800postgres://me:[masked: password in an address]@db/x"),
        (f'"password": "{HEX}"', '"password": "[masked: password]"'),
        ("The DB password is hunter2!.", "The DB password is [masked: password]."),
        (
            "\u6570\u636e\u5e93\u5bc6\u7801\u662f Geheim7x\uff0c\u8bf7\u52ff\u5916\u4f20",
            "\u6570\u636e\u5e93\u5bc6\u7801\u662f [masked: password]\uff0c\u8bf7\u52ff\u5916\u4f20",
        ),
        (
            "-----BEGIN RSA PRIVATE " + "KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN RSA PRIVATE " + "KEY-----[masked: private key]-----END RSA PRIVATE KEY-----",
        ),
    ],
)
def test_what_is_around_a_secret_stays(text: str, shown: str) -> None:
    assert masked(text) == shown


@given(
    text=st.text()
    | st.lists(st.sampled_from([*"=:\"'< .-_a1A", "password", "token", "://", "@"])).map("".join)
)
def test_masking_again_changes_nothing(text: str) -> None:
    once = masked(text)
    assert masked(once) == once


_NEARLY = ("a-", "a.", "eyJ-", "token=", "a://b:", "ghp_-", "curl -u ", "password", "cookie: a=")


@pytest.mark.parametrize("piece", [*_NEARLY, "-----BEGIN PRIVATE KEY-----"])
def test_a_long_text_that_is_nearly_a_secret_takes_no_time(piece: str) -> None:
    ends_soon(masked, piece * 5_000)


@pytest.mark.parametrize("around", ["see {} now", "\u8fd9\u662f{}\u3002", "KEY_{}", '"{}"', "<{}>"])
def test_a_token_is_known_wherever_it_stands(around: str) -> None:
    assert masked(around.format("gh" + "p_" + "a1B2" * 9)) == around.format("[masked: github token]")


@pytest.mark.parametrize(
    "text", ["BW_CLIENTSECRET=a1B2c3D4e5F6g7H8", 'psk="Zx9mua!q"', "x-honeycomb-team: Y685DTj6KkmhFiLkqtFsYj"]
)
def test_a_secret_is_known_by_its_place(text: str) -> None:
    assert len(find(text)) == 1


_PASSWORDS = (
    "SummerRain2024", "hunter2", "NewYork10", "Passw0rd1", "Kaffee4zwei", "Monkey77", "zaq12wsx!",
    "Pa$$w0rd", "Schl\xfcssel77!", "\u041f\u0430\u0440\u043e\u043b\u044c2024", "fuego!88", "Lakers#24",
    "chocolat_7", "P@55word",
)  # fmt: skip
_PLACES = (
    "password: {}", "password = {}", "db.password={}", "Passwort: {}", "contrase\xf1a: {}",
    "\u5bc6\u7801: {}", "DB_PASS={} ./run", "the password is {}", "set the admin password to {}",
    "secret: {}!", "--password {}", 'password = "{}"', "login: bob / {}", "| password | {} |",
    "mysql -uroot -p{} db", "use password {} for it",
)  # fmt: skip


@pytest.mark.parametrize("place", _PLACES)
def test_a_password_that_a_person_chose_is_masked(place: str) -> None:
    assert [each for each in _PASSWORDS if each in masked(place.format(each))] == []


@pytest.mark.parametrize(
    "text",
    [
        "password: moonlight",
        "password = redwine&cheese",
        "passphrase: rain at Tuesday & snow",
        'password = "my dog has 3 legs"',
        "login: bob / correct-horse-battery",
    ],
)
def test_a_passphrase_is_masked(text: str) -> None:
    assert len(find(text)) == 1


@pytest.mark.parametrize(
    "place",
    [
        "mnemonic: {}",
        'SEED_PHRASE="{}" npm start',
        "my seed phrase:\n{}",
        "the recovery phrase is {}",
        "backup phrase -> {}",
        "const secretPhrase = '{}'",
        "--mnemonic '{}'",
    ],
)
def test_a_recovery_phrase_is_masked(place: str) -> None:
    words = "legal winner thank year wave sausage worth useful legal winner thank yellow"
    assert masked(place.format(words)) == place.format("[masked: recovery phrase]")


@pytest.mark.parametrize(
    "line",
    [
        "the password is required",
        "the password is wrong!",
        "password: str",
        "password = new_password",
        "password = form.password.data",
        "password VARCHAR(255) NOT NULL,",
        "password: ${DB_PASSWORD}",
        "password = newPassword1",
    ],
)
def test_a_word_about_passwords_stays(line: str) -> None:
    assert masked(line) == line


@pytest.mark.parametrize(
    "text",
    [
        "user,password\nme,Kaffee4zwei",
        " id | password\n----+----------\n  1 | Kaffee4zwei",
        "\x1b[32mDB_PASSWORD\x1b[0m=\x1b[33mKaffee4zwei\x1b[0m",
        "password: >-\n  Kaffee4zwei",
        "db.example.org:5432:shop:me:Kaffee4zwei other:5432:*:me:Kaffee4zwei",
    ],
)
def test_a_password_in_a_table_in_colours_and_in_a_block_is_masked(text: str) -> None:
    assert "Kaffee4zwei" not in masked(text)


def test_a_long_private_key_is_masked_to_its_end() -> None:
    body = "\n".join("a1B2" * 16 for _ in range(900))
    text = f"-----BEGIN PRIVATE {'KEY'}-----\n{body}\n-----END PRIVATE KEY-----"
    assert "a1B2" not in masked(text)


def _filled(line: str) -> str:
    return forms(line)[0][0]


def _rules(*groups: str) -> list[Any]:
    named = [(group, table()[group]) for group in groups]
    listed = [(group, each.values() if isinstance(each, dict) else each) for group, each in named]
    return [pytest.param(rule, id=f"{name}-{at}") for name, each in listed for at, rule in enumerate(each)]


def _lines(rule: dict[str, Any]) -> tuple[str, str]:
    other = rule.get("no") or re.sub("«[^»]+»", "$PASSWORD", rule["yes"])
    return _filled(rule["yes"]), _filled(other)


@pytest.mark.parametrize("rule", _rules("token", "form", "place"))
def test_a_rule_masks_its_line_and_leaves_the_other(rule: dict[str, Any]) -> None:
    line, other = _lines(rule)
    assert pattern(rule["find"]).search(line)
    assert masked(line) != line
    assert masked(other) == other


@pytest.mark.parametrize("rule", _rules("gap"))
def test_a_value_behind_a_gap_is_masked(rule: dict[str, Any]) -> None:
    line, other = _lines(rule)
    assert masked(line) != line
    assert masked(other) == other


@pytest.mark.parametrize("rule", _rules("value"))
def test_a_pattern_matches_its_line_only(rule: dict[str, Any]) -> None:
    assert pattern(rule["find"]).search(rule["yes"])
    assert not pattern(rule["find"]).fullmatch(rule["no"])


def test_the_quick_look_knows_a_part_of_each_word_of_the_rules() -> None:
    words = {word for rule in table()["place"] for word in rule["near"]} | set(table()["names"]["cores"])
    assert [word for word in words if not matcher(*_near())(f"{word} {word}a@")] == []
    assert matcher(*_near())("rman")  # with what it names on the next line
    assert "x7gzobJ!97" not in masked("LOGİN: admin / x7gzobJ!97")


KEY = "ghp_" + "a1B2c3D4" * 5


@pytest.mark.parametrize("form", [*FORMS, *UNCLOSED])
def test_nothing_private_gets_out_of_a_transcript(tmp_path: Path, form: str) -> None:
    s = Transcript()
    s.user(f"Write the list of releases, please. {form}")
    s.tool("TodoWrite", todos=[{"content": f"Look at the list {form}", "status": "pending"}])
    s.edit("/work/app/list.py")
    facts = s.facts(tmp_path)
    assert "Write the list of releases" in facts.first_prompt
    texts = render_recovery(draft_recovery(facts, Path("/work/app"))), repr(draft_memory(facts))
    assert SECRET not in "".join((repr(facts), *texts))
    found = first_prompt(s.write(tmp_path))
    assert found.startswith("Write the list") and SECRET not in found
