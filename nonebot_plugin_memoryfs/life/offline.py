"""The offline generator: fragments from card, hour, season, weekday and what was done before (R4.14).

It draws scenes and sentences until one passes the very check a model's fragment must pass.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from ..character import Card, Phase
from ..memory import Entry
from . import colours, nights
from .check import SHORT, check, weight
from .scene import Scene
from .scenes_inside import INSIDE
from .scenes_outside import OUTSIDE
from .weather import season_of, weather_of

SCENES: tuple[Scene, ...] = (*INSIDE, *OUTSIDE)

_DRAWS = 400
_OWN = 0.3
"""How often a scene closes with what only this character could say."""
_WEEKDAYS = "一二三四五六日"
_HOBBIES = re.compile(r"[,，、;；/。\n]+")
_KEEPS = r"(?![^，,。、;；\n]{0,12}(?:养|喜欢|最爱|怕|家里|有[一两几]))"
_CAT = re.compile(
    rf"猫[娘耳妖灵人族]|(?:^|[，,。、;；\n]){_KEEPS}[^，,。、;；\n]{{0,12}}猫(?=$|[，,。、;；\n])"
)
_NO_FLESH = re.compile(r"机器人|机器[少女]|机械[少女人]|仿生|人造人|人偶|傀儡|幽灵|鬼魂|不吃不喝")
_FLESH = re.compile(colours.FLESH)
_FLESHLESS = tuple(told for scene in SCENES if (told := scene.without(_FLESH)))

LOOKS_BACK = timedelta(hours=4)
"""What was done longer ago leaves no trace in the next fragment."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a fragment is made from; nothing of it comes from a conversation (R5.6)."""

    card: Card
    local: datetime
    """The time by the character's clock."""
    phase: Phase
    last: tuple[Entry, ...] = ()
    """The newest fragments, oldest first."""

    @property
    def texts(self) -> tuple[str, ...]:
        """What they say."""
        return tuple(entry.text for entry in self.last)


def write_fragment(setting: Setting, rng: random.Random) -> str:
    """A fragment of 50 to 100 characters that repeats none of the last ones."""
    setting = replace(setting, card=setting.card.filled())
    draft = _asleep if setting.phase is Phase.SLEEPING else _awake
    fleshless = _is_fleshless(setting.card)
    text = ""
    for _ in range(_DRAWS):
        text = draft(setting, rng)
        if fleshless and _FLESH.search(text):
            continue
        if _says_again(text, setting.texts) or weight(text) < SHORT:
            continue
        checked = check(text, setting.phase, setting.texts)
        if not checked.refusal and checked.text == text:
            return text
    return text  # judged like any other


def _says_again(text: str, before: Sequence[str]) -> bool:
    """Whether a sentence of a text stood in an earlier one."""
    return any(sentence in other for sentence in text.split("。") if sentence for other in before)


def _asleep(setting: Setting, rng: random.Random) -> str:
    season = season_of(setting.local.date()).value
    quiet = [*nights.QUIET, *nights.OF_SEASON[season]]
    if _is_cat(setting.card):
        quiet += nights.OF_CATS
    parts = [rng.choice(nights.LYING), rng.choice(nights.DREAMS), rng.choice(quiet)]
    match rng.randrange(4):
        case 0:
            return parts[0] + parts[2]
        case 1:
            return parts[2] + parts[0] + parts[1]
        case 2:
            return parts[1] + parts[0]
        case _:
            return "".join(parts)


def _awake(setting: Setting, rng: random.Random) -> str:
    scene = rng.choice(_possible(setting))
    opening, detail = rng.choice(scene.openings), rng.choice(scene.details)
    own = _own(setting.card, scene)
    closing = rng.choice(own if own and rng.random() < _OWN else scene.closings)
    before, now = list(_afterwards(setting)), _hour(setting, rng)
    match rng.randrange(6):
        case 0 | 1 if before:
            return rng.choice(before) + opening + rng.choice((detail, closing))
        case 2:
            return now + opening + rng.choice((detail, closing))
        case 3:
            return opening + closing + now
        case _:
            return opening + detail + closing


def _possible(setting: Setting) -> list[Scene]:
    """What can be done at this hour in this weather, and was not done lately."""
    day = setting.local.date()
    season, weather = season_of(day), weather_of(setting.card.id, day)
    weekend = day.weekday() >= 5
    fitting = [
        scene
        for scene in (_FLESHLESS if _is_fleshless(setting.card) else SCENES)
        if setting.phase in scene.phases
        and season in scene.seasons
        and weather in scene.weather
        and scene.weekend in (None, weekend)
    ]
    fresh = [scene for scene in fitting if not any(scene.mark in text for text in setting.texts)]
    return fresh or fitting


def _afterwards(setting: Setting) -> Iterator[str]:
    """Sentences that look back at what was done last, if that was today and not long ago."""
    if not setting.last:
        return
    newest = setting.last[-1]
    if newest.at is None or newest.at.astimezone(setting.local.tzinfo).date() != setting.local.date():
        return
    if setting.local.astimezone(UTC) - newest.at > LOOKS_BACK:
        return
    for scene in SCENES:
        if any(opening in newest.text for opening in scene.openings):
            yield from scene.afterwards


def _hour(setting: Setting, rng: random.Random) -> str:
    weather = weather_of(setting.card.id, setting.local.date())
    sentence = rng.choice([*colours.OF_HOUR[setting.phase], *colours.OF_WEATHER[weather]])
    hour = setting.local.hour
    return sentence.format(weekday=f"周{_WEEKDAYS[setting.local.weekday()]}", hour=hour % 12 or 12)


def _own(card: Card, scene: Scene) -> Sequence[str]:
    """Closing sentences that only this character could have; a hobby is not missed while it is done."""
    hobbies = _HOBBIES.split(dict(card.identity).get("爱好", ""))
    told = [
        form.format(hobby=hobby.strip())
        for hobby in hobbies
        if hobby.strip() and scene.mark not in hobby
        for form in colours.OF_HOBBY
    ]
    return [*told, *(colours.OF_CATS if _is_cat(card) else ())]


def _is_cat(card: Card) -> bool:
    """Whether it is one, not only keeps one."""
    return any(_CAT.search(text) for text in (card.description, card.basic_info, *card.tags))


def _is_fleshless(card: Card) -> bool:
    """Whether it neither eats nor breathes."""
    return _NO_FLESH.search("\n".join((card.description, card.basic_info, *card.tags))) is not None
