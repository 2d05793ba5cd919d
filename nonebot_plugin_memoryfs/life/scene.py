"""The form of a scene: what a character may be doing, and how that is told (R4.14)."""

import re
from dataclasses import dataclass, replace

from ..character import Phase
from .weather import Season, Weather

DRY = frozenset({Weather.CLEAR, Weather.CLOUDY, Weather.WINDY})
"""Weather to be outside in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One thing to do, told in sentences that fit each other whichever are taken."""

    mark: str
    """A word that stands in each telling: by it, a later fragment knows what was done before."""
    phases: frozenset[Phase]
    seasons: frozenset[Season] = frozenset(Season)
    weather: frozenset[Weather] = frozenset(Weather)
    weekend: bool | None = None
    """Whether it belongs to weekends or to weekdays only."""
    openings: tuple[str, ...]
    details: tuple[str, ...]
    closings: tuple[str, ...]
    afterwards: tuple[str, ...]
    """How the next fragment of the same day may begin, looking back."""

    def without(self, words: re.Pattern[str]) -> "Scene | None":
        """The scene told without certain words; `None` where it can't be."""

        def kept(told: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(sentence for sentence in told if not words.search(sentence))

        openings, details, closings = kept(self.openings), kept(self.details), kept(self.closings)
        if not (openings and details and closings):
            return None
        return replace(
            self, openings=openings, details=details, closings=closings, afterwards=kept(self.afterwards)
        )


def scene(
    mark: str,
    phases: str,
    openings: str,
    details: str,
    closings: str,
    afterwards: str,
    *,
    seasons: str = "",
    weather: frozenset[Weather] = frozenset(Weather),
    weekend: bool | None = None,
) -> Scene:
    """A scene from words and lines."""
    return Scene(
        mark=mark,
        phases=frozenset(Phase(name) for name in phases.split()),
        seasons=frozenset(Season(name) for name in seasons) or frozenset(Season),
        weather=weather,
        weekend=weekend,
        openings=lines(openings),
        details=lines(details),
        closings=lines(closings),
        afterwards=lines(afterwards),
    )


def lines(text: str) -> tuple[str, ...]:
    """The lines of a text that are not blank."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())
