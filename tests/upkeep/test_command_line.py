"""R6.3, R6.5, R7.4: the command line, beside a running bot and without one."""

import json
from pathlib import Path

import pytest

from nonebot_plugin_memoryfs.__main__ import main
from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.graph import MemoryGraph

from ..conftest import Clock
from .conftest import in_group, private
from .test_erasing import found

Printed = pytest.CaptureFixture[str]


@pytest.fixture
def data(tmp_path: Path, clock: Clock) -> Path:
    app = App.open(Settings(), tmp_path / "data", clock=clock)
    for user_id, thing in (("10001", "琥珀蜥蜴"), ("10002", "珊瑚刺猬")):
        app.rooms.graph.open_turn(private(user_id), "小明", f"我养了一只{thing}")
        fact = {"subject": "用户", "relation": "养了", "object": thing}
        app.rooms.graph.memory_commit(private(user_id), [fact])
    app.rooms.store.close()
    return tmp_path / "data"


def test_r6_5_backup_restore_and_verify(data: Path, tmp_path: Path, capsys: Printed) -> None:
    assert main(["--data", str(data), "verify"]) == 0
    assert "没有发现问题" in capsys.readouterr().out
    assert main(["--data", str(data), "backup"]) == 0
    backup = Path(capsys.readouterr().out.strip().partition("：")[2])
    assert backup.parent == data / "backups"
    assert main(["--data", str(tmp_path / "new"), "restore", str(backup)]) == 0
    assert "已恢复" in capsys.readouterr().out
    assert found(tmp_path / "new", ["琥珀蜥蜴"])
    assert main(["--data", str(tmp_path / "new"), "restore", str(backup)]) == 1
    assert "不是空的" in capsys.readouterr().err
    assert main(["--data", str(tmp_path / "x"), "restore", str(data / "memory.db")]) == 1
    assert "不是完整的备份文件" in capsys.readouterr().err


def test_r6_3_reading_works_beside_a_running_bot(data: Path, tmp_path: Path, capsys: Printed) -> None:
    app = App.open(Settings(), data)
    try:
        assert main(["--data", str(data), "verify"]) == 0
        assert main(["--data", str(data), "backup", "--to", str(tmp_path / "zip")]) == 0
        assert len(list((tmp_path / "zip").glob("memoryfs-*.zip"))) == 1
        capsys.readouterr()
        assert main(["--data", str(data), "export", "10001"]) == 0
    finally:
        app.rooms.store.close()
    assert json.loads(capsys.readouterr().out)["edges"][0]["object"] == "琥珀蜥蜴"


def test_r7_4_export_to_a_file_overwrites_nothing(data: Path, tmp_path: Path, capsys: Printed) -> None:
    command = ["--data", str(data), "export", "10001", "--markdown", "--to", str(tmp_path / "me.md")]
    assert main(command) == 0
    text = (tmp_path / "me.md").read_text()
    assert "琥珀蜥蜴" in text
    assert "珊瑚刺猬" not in text
    assert main(command) == 1
    assert "没有覆盖" in capsys.readouterr().err


def test_r7_4_erase_asks_first(
    data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Printed
) -> None:
    answer = tmp_path / "answer"
    answer.write_text("10002\n")
    with answer.open() as file:
        monkeypatch.setattr("sys.stdin", file)
        assert main(["--data", str(data), "erase", "10001"]) == 1
    assert found(data, ["琥珀蜥蜴"])
    assert main(["--data", str(data), "erase", "10001", "--yes"]) == 0
    assert "已清除" in capsys.readouterr().out
    assert not found(data, ["琥珀蜥蜴"])
    assert found(data, ["珊瑚刺猬"])


def test_r7_3_a_group_is_erased(data: Path, capsys: Printed) -> None:
    with App.open(Settings(), data).rooms.store as store:
        MemoryGraph(store).open_turn(in_group("10001"), "小明", "我养了一只翡翠海马")
    assert main(["--data", str(data), "erase", "qq_group_9", "--yes"]) == 0
    assert "说过的话和收到的回复 1" in capsys.readouterr().out
    assert not found(data, ["翡翠海马"])
    assert found(data, ["琥珀蜥蜴"])


def test_r6_5_no_data_is_an_answer(tmp_path: Path, capsys: Printed) -> None:
    for command in ("verify", "backup"):
        assert main(["--data", str(tmp_path), command]) == 1
        assert "没有记忆数据" in capsys.readouterr().err


def test_r6_5_a_place_that_can_t_be_written_is_told(data: Path, tmp_path: Path, capsys: Printed) -> None:
    (tmp_path / "file").write_text("")
    below = str(tmp_path / "file" / "below")
    for command in (["backup", "--to", below], ["export", "10001", "--to", below]):
        assert main(["--data", str(data), *command]) == 1
        told = capsys.readouterr().err
        assert str(tmp_path / "file") in told
        assert "读写不了" in told
