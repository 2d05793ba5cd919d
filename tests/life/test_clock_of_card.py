"""R5.4: the hours and the zone of a character are those of its card."""

import json
from datetime import UTC, datetime
from pathlib import Path

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.character import Phase
from nonebot_plugin_memoryfs.config import Settings

from ..conftest import Clock


def test_r5_4_a_card_sets_zone_and_hours_while_the_bot_runs(tmp_path: Path, clock: Clock) -> None:
    app = App.open(Settings(), tmp_path, clock=clock)
    noon = datetime(2026, 7, 1, 4, tzinfo=UTC)  # 12:00 in Shanghai, 05:00 in London
    try:
        assert app.rhythm_of("owl").phase(noon) is Phase.NOON
        card = tmp_path / "characters" / "owl.json"
        card.parent.mkdir(exist_ok=True)
        words = {
            "name": "夜枭",
            "systemPrompt": "你是夜枭。",
            "timezone": "Europe/London",
            "sleep": "04:00-12:00",
        }
        card.write_text(json.dumps(words, ensure_ascii=False), "utf-8")
        assert app.rhythm_of("owl").phase(noon) is Phase.SLEEPING
        assert app.life.local("owl", noon).hour == 5
    finally:
        app.rooms.store.close()
