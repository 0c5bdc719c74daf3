"""Comparing texts: in doubt they differ."""

from __future__ import annotations

import pytest

from memtui.engines.wording import is_covered, is_near, wording


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("Use a lock", "use a  lock."),
        ("Use a lock", "Use a lock: two tabs refresh at once"),
        ("Never touch the migrations", "**Never** touch the migrations, they are frozen"),
        ("使用锁", "我们使用锁来避免竞争"),
        ("別のポートを使う", "テストでは別のポートを使う"),
        ("...", "anything"),
    ],
)
def test_said_in_other_words_around_it(item: str, text: str) -> None:
    assert is_covered(item, [wording(text)])


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("Use a lock", "Don't use a lock"),
        ("Don't use a lock", "Use a lock"),
        ("Touch the migrations", "Never touch the migrations"),
        ("Use Redis instead of Postgres", "Use Postgres instead of Redis"),
        ("Listen on port 3000", "Listen on port 4000"),
        ("使用锁", "不使用锁"),
        ("ポートを使う", "ポートを使わない"),
        ("락을 사용한다", "락을 사용하지 않는다"),
        ("Utiliser un verrou", "Ne pas utiliser un verrou"),
        ("锁使用", "使用锁"),
    ],
)
def test_another_thing(item: str, text: str) -> None:
    assert not is_covered(item, [wording(text)])


def test_a_task_is_the_same_in_a_few_more_words_only() -> None:
    assert is_near("Fix the token refresh race", "Fix the refresh race")
    assert is_near("修复登录竞争", "先修复登录竞争")
    assert not is_near("Write tests", "Write tests for the parser and for its errors")
    assert not is_near("Fix it", "")
