"""R1.4: paths are built by one reversible encoding, understood, and refused when malformed."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.memory import InvalidMemoryPath, MemoryFS, describe_memory_path
from nonebot_plugin_memoryfs.memory.paths import parse_memory_path, path_important_events, path_user

TEMPLATES = [
    ("path_user", ("neko_girl", "u1"), "characters/neko_girl/users/u1.md", "legacy"),
    (
        "path_user_persona",
        ("neko_girl", "u1"),
        "characters/neko_girl/users/u1/user_persona.md",
        "user_persona",
    ),
    (
        "path_character_persona",
        ("neko_girl", "u1"),
        "characters/neko_girl/users/u1/character_persona.md",
        "character_persona",
    ),
    (
        "path_recent_digest",
        ("neko_girl", "u1"),
        "characters/neko_girl/users/u1/recent_digest.md",
        "recent_digest",
    ),
    ("path_important_events", ("neko_girl", "c1"), "characters/neko_girl/events/c1.md", "important_event"),
    ("path_timeline", ("neko_girl",), "characters/neko_girl/timeline.md", "timeline"),
    ("path_life_sim", ("neko_girl", "c1"), "characters/neko_girl/life_sim/c1.md", "life_sim"),
    ("path_diary_daily", ("neko_girl",), "characters/neko_girl/diary/daily.md", "legacy"),
    ("path_diary_weekly", ("neko_girl",), "characters/neko_girl/diary/weekly.md", "legacy"),
    ("path_plot", ("neko_girl", "c1"), "characters/neko_girl/plot/c1.md", "legacy"),
    ("path_world_events", ("neko_girl",), "characters/neko_girl/world/events.md", "legacy"),
    ("path_general", ("neko_girl",), "characters/neko_girl/general.md", "legacy"),
]


@pytest.mark.parametrize(("helper", "ids", "path", "category"), TEMPLATES)
def test_r1_04_helpers_build_the_seeds_paths(
    helper: str, ids: tuple[str, ...], path: str, category: str
) -> None:
    assert getattr(MemoryFS, helper)(*ids) == path
    assert describe_memory_path(path)["category"] == category


def test_r1_02_describe_gives_the_seeds_record() -> None:
    assert describe_memory_path("characters/neko_girl/users/u1/user_persona.md") == {
        "category": "user_persona",
        "category_label": "用户人格",
        "injects_to_prompt": True,
        "category_order": 10,
    }


@pytest.mark.parametrize(
    ("path", "kind", "limit"),
    [
        ("characters/a/diary/daily.md", "diary", 30),
        ("characters/a/diary/2026/07.md", "diary", 30),
        ("characters/a/plot/c.md", "plot", 50),
        ("characters/a/plot/c/part.md", "plot_other", 50),
        ("characters/a/life_sim/c.md", "life_sim", 10),
        ("characters/a/life_sim/c/old.md", "life_sim_other", 10),
        ("characters/a/timeline.md", "timeline", 80),
        ("characters/a/events/c.md", "important_event", None),
        ("characters/a/users/u/user_persona.md", "user_persona", None),
        ("characters/a/users/u/notes.md", "user_other", None),
        ("characters/a/users/u.md", "user_summary", None),
        ("characters/a/world/events.md", "world", None),
        ("characters/a/general.md", "general", None),
        ("characters/a/anything/else.md", "other", None),
        ("characters/a/.md", "other", None),
        # nothing is decided by a substring of the path
        ("characters/diary_girl/users/u/user_persona.md", "user_persona", None),
        ("characters/a/users/plot/user_persona.md", "user_persona", None),
        ("characters/plot/events/diary.md", "important_event", None),
        ("characters/diary/timeline.md", "timeline", 80),
        ("characters/a/users/timeline.md", "user_summary", None),
    ],
)
def test_r1_10_the_limit_is_the_one_of_the_paths_kind(path: str, kind: str, limit: int | None) -> None:
    place = parse_memory_path(path)
    assert (place.kind.name, place.kind.max_entries) == (kind, limit)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "timeline.md",
        "characters/",
        "characters/a",
        "characters/a.md",
        "/characters/a/timeline.md",
        "Characters/a/timeline.md",
        "characters//timeline.md",
        "characters/a//timeline.md",
        "characters/a/users//user_persona.md",
        "characters/a/",
        "characters/a/./timeline.md",
        "characters/a/../b/timeline.md",
        "characters/../timeline.md",
        "characters/a/users\\u/user_persona.md",
        "characters/a/users/u\n/user_persona.md",
        "characters/a/users/u\x00/user_persona.md",
        "characters/a/users/u\x85/user_persona.md",
        "characters/a/users/u\ud800/user_persona.md",
        "characters/a/timeline",
        "characters/a/timeline.txt",
        "characters/a/timeline.md/",
        f"characters/a/{'x' * 500}.md",
    ],
)
def test_r1_04_malformed_paths_are_refused_everywhere(fs: MemoryFS, path: str) -> None:
    for call in (describe_memory_path, fs.read, fs.write, fs.delete, fs.entries, fs.versions, fs.restore):
        with pytest.raises(InvalidMemoryPath, match="记忆路径"):
            call(path)


def test_r1_04_an_invalid_path_is_a_value_error() -> None:
    assert issubclass(InvalidMemoryPath, ValueError)


def test_r1_04_the_longest_path_is_512_characters() -> None:
    longest = f"characters/a/{'x' * 496}.md"
    assert len(longest) == 512
    assert describe_memory_path(longest)["category"] == "legacy"
    with pytest.raises(InvalidMemoryPath, match="512"):
        path_user("a", "x" * 500)


def test_r1_04_letters_of_any_language_stay_readable() -> None:
    assert path_user("猫娘", "小明") == "characters/猫娘/users/小明.md"


def test_r1_04_two_ids_never_meet_in_one_path() -> None:
    assert path_user("a", "b/users/c") != path_user("a/users/b", "c")


IDS = st.one_of(st.text(max_size=20), st.text("/\\%. abｂ猫\n\x00", max_size=12))


@given(IDS, IDS)
def test_r1_04_every_id_comes_back_from_its_path(character: str, user: str) -> None:
    place = parse_memory_path(MemoryFS.path_user_persona(character, user))
    assert (place.character_id, place.user_id) == (character, user)
    assert place.kind.name == "user_persona"


@given(IDS, IDS)
def test_r1_04_every_conversation_comes_back_from_its_path(character: str, conversation: str) -> None:
    place = parse_memory_path(path_important_events(character, conversation))
    assert (place.character_id, place.conversation_id) == (character, conversation)


@given(st.text(min_size=1, max_size=60))
def test_r1_04_a_path_is_understood_or_refused_and_nothing_else(text: str) -> None:
    for path in (text, f"characters/{text}", f"characters/{text}.md", f"characters/a/users/{text}.md"):
        with suppress(InvalidMemoryPath):
            assert parse_memory_path(path).text == path


def test_r1_04_a_segment_we_never_wrote_is_itself_the_id() -> None:
    """The upstream wrote raw ids: `%41` there is not our spelling of `A`."""
    assert parse_memory_path("characters/a/users/%41/user_persona.md").user_id == "%41"
