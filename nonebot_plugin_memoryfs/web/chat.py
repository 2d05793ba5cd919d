"""The chat of the page: the same turns as anywhere, in a private conversation of its own (R7.6 a)."""

import asyncio
from typing import Annotated

from fastapi import HTTPException, Request
from pydantic import AfterValidator, BaseModel, Field
from pydantic_core import PydanticCustomError

from ..concurrency import in_thread
from ..scope import Scope
from ..text.cleaning import clean_message
from ..turn import Incoming
from . import API
from .facts import FactView
from .guard import CHANGE_PROBLEMS
from .site import site_of
from .values import Text, guarded_router

router = guarded_router("聊天")

USER = "web_admin"
SPEAKER = "管理员"
_MAX_TEXT = 8000


def _said(text: str) -> str:
    """The text as the bot would hear it; one that nobody could see anything of is refused."""
    text = clean_message(text).strip()
    if not any(c.isprintable() and not c.isspace() for c in text):
        raise PydanticCustomError("nothing_said", "不能是空的")
    return text


class Message(BaseModel):
    """Something said to the character."""

    text: Annotated[str, AfterValidator(_said), Field(max_length=_MAX_TEXT)]
    session: Annotated[str, Field(pattern=r"^[0-9a-z]{1,32}$")] = "main"
    character_id: Annotated[Text, Field(max_length=256, description="不填为默认角色")] = ""


class Reply(BaseModel):
    """What the character answered."""

    turn_id: int
    speaker: str = Field(description="角色的名字")
    text: str = Field(description="空为没有回答")
    written: list[FactView] = Field(description="这一轮记下的")


def conversation(session: str) -> str:
    """The conversation id of a session of the page (R7.1)."""
    return f"web_{session}"


@router.post(f"{API}/chat", summary="和角色说一句话，等到回答", responses=CHANGE_PROBLEMS)
async def chat(request: Request, message: Message) -> Reply:
    """One at a time in each session: who speaks meanwhile waits, and gets an answer of their own."""
    site = site_of(request)
    app = site.app
    conversation_id = conversation(message.session)
    character_id = message.character_id.strip() or app.settings.character
    if not await in_thread(app.roster.__contains__, character_id):
        raise HTTPException(404, f"没有角色 {character_id!r}")
    scope = Scope(character_id, conversation_id, USER, private=True)
    said: list[tuple[str, str]] = []

    async def send(reply: str, name: str) -> None:
        said.append((name, reply))

    async with site.chats.setdefault(conversation_id, asyncio.Lock()):
        incoming = Incoming(scope=scope, speaker=SPEAKER, text=message.text, at=app.clock(), send=send)
        turn = await app.workflow.hear(incoming)
        await app.conversations.submit(turn)
        await app.conversations.settled(turn.key)
    name, reply = said[-1] if said else ("", "")
    written = await in_thread(site.facts.facts_of_turn, turn.turn_id)
    return Reply(
        turn_id=turn.turn_id, speaker=name, text=reply, written=[FactView.of(fact) for fact in written]
    )
