"""Prompts: the layers of the base text, and the stack the system text is rendered from."""

from .layers import Layer as Layer
from .layers import Layers as Layers
from .manager import BaseLayer as BaseLayer
from .manager import PromptManager as PromptManager
from .slots import Cut as Cut
from .stack import Part as Part
from .stack import PromptStack as PromptStack
from .stack import RenderedPrompt as RenderedPrompt
from .texts import fixed_text as fixed_text
