"""Prompts: the layers of the base text, notes, and the stack the system text is rendered from."""

from .layers import Layer as Layer
from .layers import Layers as Layers
from .manager import BaseLayer as BaseLayer
from .manager import PromptManager as PromptManager
from .note import Note as Note
from .note_choice import ChosenNotes as ChosenNotes
from .notes import Notes as Notes
from .seed import add_memory as add_memory
from .seed import clear_memories as clear_memories
from .seed import close_prompt_manager as close_prompt_manager
from .seed import delete_memory as delete_memory
from .seed import expect_prompt_manager as expect_prompt_manager
from .seed import get_prompt_manager as get_prompt_manager
from .seed import load_memories as load_memories
from .seed import load_prompt as load_prompt
from .seed import prompt_manager as prompt_manager
from .seed import provide_prompt_manager as provide_prompt_manager
from .seed import save_prompt as save_prompt
from .seed import withdraw_prompt_manager as withdraw_prompt_manager
from .slots import Cut as Cut
from .stack import Part as Part
from .stack import PromptStack as PromptStack
from .stack import RenderedPrompt as RenderedPrompt
from .texts import fixed_text as fixed_text
