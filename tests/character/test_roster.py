"""R3.11: several characters side by side, and their files."""

from pathlib import Path
from typing import Any

import pytest

from nonebot_plugin_memoryfs.character import Card, Roster

from .conftest import Folder
from .making import as_json, in_base64, png, text, v2, v3


def names(cards: list[Card]) -> list[tuple[str, str]]:
    return [(card.id, card.name) for card in cards]


def test_r3_11_with_no_files_there_is_the_built_in_cat(tmp_path: Path) -> None:
    for folder in (None, tmp_path / "absent"):
        roster = Roster(folder, print, default="neko")
        assert names(roster.cards()) == [("neko", "小忆")]


def test_r3_11_characters_of_every_form_live_side_by_side(folder: Folder) -> None:
    folder.put("orange.json", {"name": "阿橘"})
    folder.put("林晚.png", png(text("chara", in_base64(v2()))))
    folder.put("v3.JSON", as_json(v3()))
    folder.put("notes.txt", b"no card")
    folder.put(".hidden.json", {"name": "x"})
    folder.put("%.json", {"name": "x"})
    folder.put("a%2Fb.json", {"name": "斜杠"})
    assert names(folder.roster().cards()) == [
        ("a/b", "斜杠"),
        ("neko", "小忆"),
        ("orange", "阿橘"),
        ("v3", "阿晚"),
        ("林晚", "林晚"),
    ]
    assert folder.reports == []


def test_r3_11_personality_json_stays_the_default_characters(folder: Folder) -> None:
    folder.put("cat.json", {"name": "别的"})
    folder.put("personality.json", {"name": "上游的猫"})
    assert folder.roster("cat").card("cat").name == "上游的猫"
    assert folder.roster("neko").card("cat").name == "别的"
    folder.personality.unlink()
    assert folder.roster("cat").card("cat").name == "别的"


def test_r3_11_a_changed_file_is_read_again(folder: Folder) -> None:
    roster = folder.roster()
    path = folder.put("orange.json", {"name": "阿橘"})
    first = roster.card("orange")
    assert roster.card("orange") is first
    folder.put("orange.json", {"name": "阿桔"})
    assert roster.card("orange").name == "阿桔"
    path.unlink()
    assert "orange" not in roster


def test_r3_11_an_unusable_card_is_reported_once_and_the_last_good_one_stays(folder: Folder) -> None:
    roster = folder.roster()
    folder.put("orange.json", {"name": "阿橘"})
    assert roster.card("orange").name == "阿橘"
    folder.put("orange.json", {"name": "阿桔", "rules": "x"})
    assert [roster.card("orange").name for _ in range(3)] == ["阿橘"] * 3
    assert folder.reports == ["角色卡文件 orange.json 未采用：角色卡的 rules 应是文字的列表"]
    folder.put("orange.json", b"")
    assert roster.card("orange").name == "阿橘"
    folder.put("orange.json", {"name": "阿桔"})
    assert roster.card("orange").name == "阿桔"
    assert len(folder.reports) == 2


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"\xff\xfe", "UTF-8"),
        (b"[" * 100_000, "JSON"),
        (png(), "没有角色卡"),
        (b" " * 16_000_001, "超过 16000000 字节"),
        ({"name": "n", "tools": ["memory_recall", "rm"]}, "tools 里没有 'rm' 这个工具，只能是 memory_recall"),
    ],
)
def test_r3_11_without_a_good_one_before_the_default_card_is_used(
    folder: Folder, content: Any, named: str
) -> None:
    folder.put("orange.json", content)
    folder.put("personality.json", {"name": "默认的"})
    roster = folder.roster("cat")
    card = roster.card("orange")
    assert (card.id, card.name) == ("orange", "默认的")
    assert roster.card("neko").name == "小忆"
    folder.personality.unlink()
    assert roster.card("orange").name == "小忆"
    [report] = folder.reports
    assert report.startswith("角色卡文件 orange.json 未采用：")
    assert named in report


def test_r3_11_a_directory_in_the_place_of_a_card_is_reported(folder: Folder) -> None:
    (folder.cards / "orange.json").mkdir()
    assert folder.roster().card("orange").name == "小忆"
    assert "orange.json" in folder.reports[0]


@pytest.mark.parametrize("odd", ["../orange", "..", "a/b", "C:\\x", "%", "", "x" * 5000, "\0", "\ud800"])
def test_r6_07_no_id_is_made_into_a_path(folder: Folder, odd: str) -> None:
    (folder.cards.parent / "orange.json").write_text('{"name": "外面的"}', "utf-8")
    card = folder.roster().card(odd)
    assert (card.id, card.name) == (odd, "小忆")
