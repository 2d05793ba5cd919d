"""Characters: who the bot is, as cards say, and where. The built-in one is the small cat 小忆."""

from .bindings import Bindings as Bindings
from .cards import Card as Card
from .cards import profile_text as profile_text
from .formats import built_in as built_in
from .formats import load_card as load_card
from .formats import read_card as read_card
from .phases import Phase as Phase
from .phases import Rhythm as Rhythm
from .phases import Stretch as Stretch
from .phases import rhythm_of as rhythm_of
from .roster import Roster as Roster
