"""R2.21: the search over what was said."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from nonebot_plugin_memoryfs.errors import InvalidInput
from nonebot_plugin_memoryfs.scope import Policy, Scope, group_conversation, private_conversation
from nonebot_plugin_memoryfs.search import LINES, WORDS_ALONE, TurnLog, index
from nonebot_plugin_memoryfs.search.index import Kind
from nonebot_plugin_memoryfs.search.lines import searchable
from nonebot_plugin_memoryfs.search.places import place_of, places_of
from nonebot_plugin_memoryfs.search.ranking import shelves_of
from nonebot_plugin_memoryfs.search.review import search_everywhere
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.presence import note_presence, viewer_of
from nonebot_plugin_memoryfs.storage.tables import documents, postings, shelves

from ..conftest import Clock


def private(user: str, character: str = "neko") -> Scope:
    return Scope(character, private_conversation(user), user, True)


def group(number: str, user: str, character: str = "neko") -> Scope:
    return Scope(character, group_conversation(number), user, False)


@pytest.fixture
def log(store: Store) -> TurnLog:
    return TurnLog(store)


def texts(log: TurnLog, scope: Scope, query: str, limit: int = 10) -> list[str]:
    return [hit.text for hit in log.search(scope, query, limit)]


def test_r2_21_a_line_is_found_by_its_words(log: TurnLog, clock: Clock) -> None:
    scope = private("1")
    line = log.add(scope, "小明", "我在学吉他，周末去上课", clock())
    clock.advance(days=1)
    for chat in ("今天天气不错", "晚饭吃了火锅", "电影很好看"):
        log.add(scope, "小明", chat, clock())
    hit = log.search(scope, "吉他学得怎么样了？")[0]
    assert (hit.id, hit.speaker, hit.text) == (line, "小明", "我在学吉他，周末去上课")
    assert hit.at.tzinfo is not None
    assert hit.score > 0


def test_r2_21_a_question_nothing_answers_returns_nothing(log: TurnLog, clock: Clock) -> None:
    scope = private("1")
    for chat in ("我的猫叫毛毛", "今天天气不错", "我喜欢摇滚", "晚饭吃了火锅"):
        log.add(scope, "小明", chat, clock())
    assert texts(log, scope, "我的车牌号是多少？") == []
    assert texts(log, scope, "quantum chromodynamics") == []
    assert texts(log, scope, "") == []


def test_r2_21_names_are_not_split(log: TurnLog, clock: Clock) -> None:
    scope = private("1")
    log.add(scope, "小明", "长门有希是资讯统合思念体", clock())
    log.add(scope, "小明", "希望有门票", clock())
    assert texts(log, scope, "长门有希")[0] == "长门有希是资讯统合思念体"


def test_r2_21_stemmed_words_are_found(log: TurnLog, clock: Clock) -> None:
    scope = private("1")
    log.add(scope, "Ann", "I went hiking in the mountains", clock())
    log.add(scope, "Ann", "dinner was nice", clock())
    assert texts(log, scope, "does she hike?")[0] == "I went hiking in the mountains"


def test_r2_21_an_answer_beside_its_question_is_lifted(log: TurnLog, clock: Clock) -> None:
    scope = private("1")
    for chat in ("早上好", "你家那只橘猫叫什么名字？", "叫毛毛", "哈哈", "在吗", "下雨了"):
        log.add(scope, "小明", chat, clock())
    assert "叫毛毛" in texts(log, scope, "橘猫的名字", 2)


def test_r2_21_the_speaker_is_found(log: TurnLog, clock: Clock) -> None:
    scope = group("9", "1")
    log.add(scope, "阿虚", "去社团教室", clock())
    log.add(scope, "古泉", "来下棋", clock())
    assert texts(log, scope, "阿虚")[0] == "去社团教室"


def test_r2_21_limit_and_stable_order(log: TurnLog, clock: Clock) -> None:
    scope = private("1")
    for number in range(30):
        log.add(scope, "小明", f"摇滚 {number}", clock())
    first = log.search(scope, "摇滚", 7)
    assert len(first) == 7
    assert first == log.search(scope, "摇滚", 7)


def test_r2_21_library_use_opens_and_closes(tmp_path: Path, database_url: str | None) -> None:
    at = datetime.fromisoformat("2026-07-08T12:00:00+08:00")
    with TurnLog.open(tmp_path, database_url) as log:
        log.add(private("1"), "小明", "我喜欢摇滚", at)
    with TurnLog.open(tmp_path, database_url) as log:
        assert log.search(private("1"), "摇滚")[0].at == at
        log.close()


def test_r2_21_a_time_without_a_zone_is_refused(log: TurnLog, clock: Clock) -> None:
    with pytest.raises(InvalidInput, match="时区"):
        log.add(private("1"), "小明", "早", clock().replace(tzinfo=None))


def test_r1_17_private_chats_stay_private(log: TurnLog, clock: Clock) -> None:
    log.add(private("1"), "小明", "我的秘密是蓝鲸", clock())
    assert texts(log, private("1"), "蓝鲸")
    assert not texts(log, private("2"), "蓝鲸")
    assert not texts(log, group("9", "1"), "蓝鲸")
    assert not texts(log, private("1", "other"), "蓝鲸")


def test_r1_17_groups_do_not_leak_into_each_other(log: TurnLog, clock: Clock) -> None:
    log.add(group("A", "1"), "小明", "暗号是蓝鲸", clock())
    log.add(group("B", "1"), "小明", "大家好", clock())
    assert not texts(log, group("B", "1"), "蓝鲸")
    assert texts(log, private("1"), "蓝鲸")


def test_r1_17_linked_groups_share(store: Store, clock: Clock) -> None:
    linked = frozenset({group_conversation("A"), group_conversation("B")})
    log = TurnLog(store, Policy(linked_groups=(linked,)))
    log.add(group("A", "1"), "小明", "暗号是蓝鲸", clock())
    assert texts(log, group("B", "2"), "蓝鲸")
    assert not texts(log, group("C", "2"), "蓝鲸")


def test_r1_17_what_was_said_before_someone_joined_is_not_found_elsewhere(log: TurnLog, clock: Clock) -> None:
    log.add(group("A", "1"), "小明", "旧暗号是蓝鲸", clock())
    clock.advance(days=1)
    log.add(group("A", "2"), "小红", "大家好", clock())
    clock.advance(days=1)
    log.add(group("A", "1"), "小明", "新暗号是海豚", clock())
    assert not texts(log, private("2"), "蓝鲸")
    found = texts(log, private("2"), "海豚")
    assert found[0] == "新暗号是海豚"
    assert "旧暗号是蓝鲸" not in found
    assert texts(log, group("A", "2"), "蓝鲸")


def test_r1_17_rarity_is_that_of_what_may_be_seen(log: TurnLog, clock: Clock) -> None:
    for number in range(200):
        log.add(group("noisy", "8"), "路人", f"摇滚 {number}", clock())
    log.add(private("1"), "小明", "我喜欢摇滚", clock())
    log.add(private("1"), "小明", "早上好", clock())
    alone = log.search(private("1"), "摇滚")[0].score
    clock.advance(seconds=1)
    log.add(group("noisy", "1"), "小明", "在", clock())
    assert alone == pytest.approx(log.search(private("1"), "摇滚")[0].score, rel=0.5)


def test_r1_17_what_may_be_seen_begins_where_somebody_joined(store: Store) -> None:
    with store.database.write() as connection:
        place = place_of(connection, "neko", "qq_group_9")
        index.put(connection, place, ((Kind.LINE, ref, "早上好") for ref in range(1, 101)))
        all_of_it = shelves_of(connection, Kind.LINE, {place: 0}).of_place[place]
        seen = shelves_of(connection, Kind.LINE, {place: 81}).of_place[place]
    assert (all_of_it.documents, all_of_it.first, all_of_it.last) == (100, 1, 100)
    assert (seen.documents, seen.first, seen.last) == (20, 81, 100)
    assert seen.length * 5 == all_of_it.length
    with store.database.write() as connection:
        index.remove(connection, Kind.LINE, place, range(1, 101))
        assert shelves_of(connection, Kind.LINE, {place: 81}).of_place == {}


@pytest.mark.parametrize(
    "text",
    ["", " ", "%", "_", "'; DROP TABLE lines; --", "\x00\x07\ud800", "😀👨‍👩‍👧", "a" * 10_000, "汉" * 10_000],
)
def test_r2_21_any_text_can_be_kept_and_asked(log: TurnLog, clock: Clock, text: str) -> None:
    scope = Scope("ne/ko%", "qq_private_a/../b", "a/../b", True)
    log.add(scope, text, text, clock())
    log.search(scope, text)


def test_r2_21_wildcards_are_letters(log: TurnLog, clock: Clock) -> None:
    scope = private("1")
    log.add(scope, "小明", "摇滚", clock())
    assert not texts(log, scope, "%")
    assert not texts(log, scope, "_")


def test_r2_21_large_places_read_their_newest_part(log: TurnLog, store: Store, clock: Clock) -> None:
    scope = private("1")
    with store.database.write():
        log.add(scope, "小明", "我养了一只龙猫", clock())
        for number in range(4_200):
            log.add(scope, "小明", f"早上好 {number}", clock())
    assert texts(log, scope, "龙猫")[0] == "我养了一只龙猫"
    assert texts(log, scope, "早上好", 1)[0].startswith("早上好 41")


def test_r2_21_whether_anything_answers_does_not_hang_on_the_limit(
    log: TurnLog, store: Store, clock: Clock
) -> None:
    scope = private("1")
    with store.database.write() as connection:
        for number in range(40):
            log.add(scope, "x", "violin" if number < 5 else f"word{number}", clock())
        log.add(scope, "x", "unicorn " + " ".join(f"other{number}" for number in range(400)), clock())
        asked = "violin unicorn tango waltz polka samba rumba bolero"
        found = search_everywhere(connection, "neko", asked, 10)
        assert [line.text[:7] for line in found] == ["violin"] * 5 + ["unicorn"]
        assert search_everywhere(connection, "neko", asked, 1) == found[:1]


def test_r2_21_taking_a_line_out_leaves_nothing_behind(log: TurnLog, store: Store, clock: Clock) -> None:
    scope = private("1")
    line = log.add(scope, "小明", "我喜欢摇滚", clock())
    kept = log.add(scope, "小明", "早上好", clock())
    with store.database.write() as connection:
        (place,) = places_of(connection, "neko", [scope.conversation_id])
        index.remove(connection, Kind.LINE, place, [line, 999])
        assert set(connection.scalars(select(postings.c.ref))) == {kept}
        row = connection.execute(select(shelves.c.documents, shelves.c.length)).one()
        length = connection.scalar(select(func.sum(documents.c.length)))
        assert tuple(row) == (1, length)
    assert not texts(log, scope, "摇滚")


def test_r1_17_joined_after_the_last_line_is_nothing_to_look_at(
    log: TurnLog, store: Store, clock: Clock
) -> None:
    log.add(group("A", "1"), "小明", "暗号是蓝鲸", clock())
    clock.advance(days=1)
    with store.database.write() as connection:
        note_presence(connection, "2", group_conversation("A"), clock())
        found = searchable(connection, viewer_of(connection, private("2")), Policy())
        assert found == {}
        (place,) = places_of(connection, "neko", [group_conversation("A")])
        assert searchable(connection, viewer_of(connection, group("A", "2")), Policy()) == {place: 0}
    assert not texts(log, private("2"), "蓝鲸")


def test_r1_17_lines_added_out_of_order_are_found(log: TurnLog, clock: Clock) -> None:
    start = clock()
    log.add(group("A", "1"), "小明", "最旧的暗号是蓝鲸", start)
    log.add(group("A", "1"), "小明", "后来的暗号是海豚", start + timedelta(days=3))
    log.add(group("A", "2"), "小红", "大家好", start + timedelta(days=1))
    for _ in range(2):
        found = texts(log, private("2"), "暗号")
        assert found[0] == "后来的暗号是海豚"
        assert "最旧的暗号是蓝鲸" not in found
        log.add(group("A", "1"), "小明", "早上好", start)


def test_r1_19_a_hit_knows_its_turn(log: TurnLog, store: Store, clock: Clock) -> None:
    log.add(private("1"), "小明", "我喜欢摇滚", clock())
    assert log.search(private("1"), "摇滚")[0].turn_id is None


PASSPORT = ("天气真好", "护照在抽屉里", "晚安", "早上好", "我去上课了")


def test_r2_21_what_stands_beside_a_match_comes_behind_it(log: TurnLog, clock: Clock) -> None:
    for chat in PASSPORT:
        log.add(private("1"), "小明", chat, clock())
    first, *rest = log.search(private("1"), "护照在哪")
    assert first.text == "护照在抽屉里"
    assert all(hit.score <= first.score * LINES.neighbours[0] for hit in rest)
    assert texts(log, private("1"), "车牌是多少") == []


def test_r2_21_a_list_for_people_holds_only_lines_with_the_words(store: Store, clock: Clock) -> None:
    log = TurnLog(store, recipe=WORDS_ALONE)
    for chat in PASSPORT:
        log.add(private("1"), "小明", chat, clock())
    assert texts(log, private("1"), "护照在哪") == ["护照在抽屉里"]
    assert texts(log, private("1"), "车牌是多少") == []


def test_r2_20_a_bad_argument_is_named(log: TurnLog, clock: Clock) -> None:
    loose: Any = log
    calls: list[tuple[str, Callable[[], object]]] = [
        ("query", lambda: loose.search(private("1"), None)),
        ("limit", lambda: loose.search(private("1"), "护照", "3")),
        ("text", lambda: loose.add(private("1"), "小明", None, clock())),
        ("时区", lambda: loose.add(private("1"), "小明", "早", None)),
        ("user_id", lambda: loose.search(Scope("neko", "qq_private_1", "", True), "护照")),
        ("scope", lambda: loose.add(None, "小明", "早", clock())),
    ]
    for named, call in calls:
        with pytest.raises(InvalidInput, match=named):
            call()
    assert log.search(private("1"), "护照", 0) == log.search(private("1"), "护照", -3) == []
