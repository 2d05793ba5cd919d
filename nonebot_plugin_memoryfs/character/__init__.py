"""Characters: who the bot is. A card says it; the built-in one is the small cat 小忆."""

from .cards import Card as Card
from .cards import built_in as built_in
from .cards import load_personality as load_personality
from .cards import profile_text as profile_text
