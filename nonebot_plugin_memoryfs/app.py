"""The composition root: opens the rooms with settings, clock and model, and closes them.

The bot, the command line, the bench and the tests all use it.
"""

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Self

from .character import Bindings, Card, Rhythm, Roster, rhythm_of
from .character.roster import FOLDER as CHARACTERS
from .concurrency import in_thread
from .config import Settings
from .errors import OperatorError
from .graph import TOOLS, MemoryGraph
from .learn import Budget, Learner, Learning
from .life import Life
from .life import Rules as LifeRules
from .memory import MemoryFS, provide_memory_fs, withdraw_memory_fs
from .model import ChatModel, Endpoint, Models, Patience, Purpose, load_models
from .own import OwnMemory
from .prompt import PromptManager, provide_prompt_manager, withdraw_prompt_manager
from .prompt.manager import FOLDER as PROMPTS
from .scope import Policy, Scope, group_conversation, group_of
from .search import TurnLog
from .search.places import characters_in
from .storage import Store
from .storage.directory import DirectoryLock
from .storage.pauses import pause, paused_among, resume
from .storage.presence import note_presence
from .storage.quiet import is_quiet, set_quiet
from .storage.store import utc_now
from .turn import Cast, Conversations, Overheard, OverheardLine, Rooms, Workflow, close_left_open
from .upkeep import Erasure, Upkeep

logger = logging.getLogger("nonebot_plugin_memoryfs")

_KNOWN_PRESENCES = 100_000


class App:
    """Everything open: made by `open` off the event loop, then `start`ed on it."""

    def __init__(self, store: Store, settings: Settings, patience: Patience) -> None:
        self.settings = settings
        self._patience = patience
        self.policy = policy_of(settings)
        self.roster = _roster(store, settings)
        self.bindings = Bindings(store, self.roster, settings.characters)
        graph = MemoryGraph(store, self.policy)
        self.cast = Cast(self.roster, graph, store.report)
        memory = MemoryFS(store, timezone=settings.zone, policy=self.policy)
        prompts = PromptManager(
            store=store, card_of=self._card_in, timezone=settings.zone, policy=self.policy
        )
        learning = Learning(
            store,
            graph,
            memory,
            prompts,
            policy=self.policy,
            budget=Budget(settings.zone, settings.daily_calls, settings.daily_tokens),
            every=settings.learn_every,
            card_of=self.roster.card,
            zone=settings.zone,
        )
        self.rooms = Rooms(
            store=store,
            graph=graph,
            log=TurnLog(store, self.policy),
            memory=memory,
            prompts=prompts,
            card_of=self.cast.card,
            learning=learning,
            zone=settings.zone,
        )
        self.life = Life(
            store,
            self.rooms.memory,
            lambda: self.model("life"),
            rules=life_rules_of(settings),
            card_of=self.roster.card,
            rhythm_of=self.rhythm_of,
            web_on=not settings.base_url,
        )
        self.keeping = Upkeep(store, memory, self.policy, settings.zone)
        self.own = OwnMemory(
            store,
            graph,
            self.rooms.memory,
            self.rooms.prompts,
            policy=self.policy,
            card_of=self.cast.card,
        )
        self._overheard = Overheard()
        self._present: set[tuple[str, str]] = set()
        self._models: asyncio.Task[Models] | None = None
        self._retrying: asyncio.Task[None] | None = None
        self.learner = Learner(learning, self._learning_model)
        self.workflow = Workflow(self.rooms, self.model, self._overheard, self.learner.turn_done)
        self.conversations = Conversations(
            self.workflow.answer,
            self.workflow.drop,
            self._overheard,
            settings.queue,
            settings.cooldown_seconds,
        )

    @classmethod
    def open(
        cls,
        settings: Settings,
        data_dir: Path,
        *,
        clock: Callable[[], datetime] = utc_now,
        held: DirectoryLock | None = None,
        patience: Patience | None = None,
    ) -> Self:
        """Open the rooms of a data directory, close the turns that a crash left open (R4.1) and delete the
        notes that have ended (R3.4).

        Args:
            settings: what the operator chose.
            data_dir: where the data is.
            clock: the time, timezone-aware.
            held: the hold on the directory, if it was taken before.
            patience: how failures of the model are waited out.

        Raises:
            OperatorError: the directory or the database can't be used.
        """
        store = Store.open(data_dir, clock=clock, held=held)
        try:
            app = cls(store, settings, patience or Patience())
            app.cast.learn((*settings.characters.values(), *app.bindings.all().values()))
            problems = list(app.bindings.problems())
            app.rooms.prompts.notes.delete_expired()
            unanswered = close_left_open(app.rooms)
            app.keeping.finish_erasing()
        except BaseException:
            store.close()
            raise
        if unanswered:
            logger.info("上次停机时有 %d 条消息没来得及回答，内容都还在", unanswered)
        for problem in problems:
            logger.warning(problem)
        return app

    @property
    def clock(self) -> Callable[[], datetime]:
        """The time, timezone-aware."""
        return self.rooms.clock

    def start(self) -> None:
        """Begin to load the models; messages that come earlier wait for it.

        From now on `get_memory_fs()` without a directory means this app's files (R1.1), and
        `prompt.prompt_manager` its prompts (R3.1).
        """
        provide_memory_fs(self.rooms.memory)
        provide_prompt_manager(self.rooms.prompts)
        self._models = asyncio.create_task(self._load_models())
        self._retrying = asyncio.create_task(self.learner.start())

    async def model(self, purpose: Purpose = "chat") -> ChatModel:
        """The model of a purpose (R4.13), as soon as it is loaded."""
        assert self._models is not None, "App.start comes first"
        return (await asyncio.shield(self._models)).of(purpose)

    async def character_of(self, account: str, conversation_id: str) -> str:
        """The character a bot account plays in a conversation (R3.11)."""
        return await in_thread(self.bindings.character_of, account, conversation_id)

    async def _learning_model(self) -> ChatModel:
        return await self.model("learning")

    async def is_on(self, conversation_id: str) -> bool:
        """Whether the bot deals with a conversation: not with groups that were switched off (R7.2)."""
        return group_of(conversation_id) is None or not await in_thread(self._is_quiet, conversation_id)

    def switch(self, conversation_id: str, on: bool) -> bool:
        """Switch a group on or off, for every character and account; whether that changed anything."""
        with self.rooms.store.database.write() as connection:
            return set_quiet(connection, conversation_id, not on, self.clock())

    async def note_presence(self, scope: Scope) -> None:
        """Remember that this person speaks here (R1.17); a database write only the first time."""
        key = scope.user_id, scope.conversation_id
        if key in self._present:
            return
        await in_thread(self._write_presence, scope, self.clock())
        if len(self._present) >= _KNOWN_PRESENCES:
            self._present.clear()
        self._present.add(key)

    def overhear(self, scope: Scope, line: OverheardLine) -> None:
        """Keep a line nobody addressed to the character, as context for its next turn (R4.2)."""
        self._overheard.add((scope.character_id, scope.conversation_id), line)

    async def upkeep(self) -> None:
        """What is done once a day, off the reply path."""
        if gone := await in_thread(self.life.tidy):
            logger.info("收起了 %d 个久无人来的网页会话的心跳", gone)
        await in_thread(self.rooms.prompts.notes.delete_expired)
        if backup := await in_thread(self.keeping.daily):
            logger.info("今天的备份：%s", backup)

    async def erase_person(self, user_id: str) -> Erasure:
        """Erase everything from or about a person, what is only held in memory too (R7.4)."""
        self._overheard.clear()  # a turn may take them while the files are written
        try:
            return await in_thread(self.keeping.erase_person, user_id)
        finally:
            self._overheard.clear()
            self._present = {(user, where) for user, where in self._present if user != user_id}

    async def clear_conversation(self, conversation_id: str) -> Erasure:
        """Erase everything that was said in a conversation, what is only held in memory too (R7.3)."""
        self._overheard.forget(conversation_id)
        try:
            return await in_thread(self.keeping.clear_conversation, conversation_id)
        finally:
            self._overheard.forget(conversation_id)
            self._present = {(user, where) for user, where in self._present if where != conversation_id}

    async def withdraw(self, character_id: str, conversation_id: str, source_id: str) -> None:
        """A message was taken back: let go of what it stored, and of its answer if none was given (R4.11).

        Whichever character heard it: another one may play there by now.
        """
        for character in {character_id, *await in_thread(self._heard_in, conversation_id)}:
            key = character, conversation_id
            self.conversations.withdraw(key, source_id)
            self._overheard.withdraw(key, source_id)
            if await in_thread(self.rooms.learning.withdraw, *key, source_id):
                logger.info("会话 %s 撤回了一条消息，由它记下的都去掉了", conversation_id)

    def was_taken_back(self, scope: Scope, source_id: str) -> bool:
        """Whether a message was taken back before it came here (R4.11)."""
        return self._overheard.was_taken_back((scope.character_id, scope.conversation_id), source_id)

    async def keeps_nothing_of(self, user_id: str) -> bool:
        """Whether this person said 停记: nothing of them is stored (R7.4)."""
        return await in_thread(self._is_paused, user_id)

    def pause(self, user_id: str) -> None:
        """From now on store and learn nothing of this person (停记, R7.4)."""
        with self.rooms.store.database.write() as connection:
            pause(connection, user_id, self.clock())

    def resume(self, user_id: str) -> bool:
        """Store and learn again (继续); whether it was off."""
        with self.rooms.store.database.write() as connection:
            return resume(connection, user_id)

    async def close(self) -> None:
        """Stop what runs and write everything down."""
        await self.life.close()
        await self.conversations.close()
        if self._retrying is not None:
            await self._retrying
        await self.learner.close()
        await self._close_models()
        withdraw_memory_fs(self.rooms.memory)
        withdraw_prompt_manager(self.rooms.prompts)
        await in_thread(self.rooms.store.close)

    async def _load_models(self) -> Models:
        settings = self.settings
        names: dict[Purpose, str] = {
            "chat": settings.model,
            "learning": settings.learn_model or settings.model,
            "life": settings.life_model or settings.model,
        }
        endpoint = endpoint_of(settings)
        try:
            models = await load_models(endpoint, names, clock=self.clock, patience=self._patience)
        except OperatorError as error:
            logger.error("模型用不了：%s", error)
            raise
        if endpoint is None:
            logger.info("现在用的是%s：按规则回答，不需要密钥和网络", models.chat.name)
            if settings.model or settings.api_key.get_secret_value():
                logger.warning(
                    "填了模型名或密钥，但没有填 MEMORYFS__BASE_URL，所以用的还是%s", models.chat.name
                )
        else:
            others = f"，提取记忆 {names['learning']}，生活片段 {names['life']}"
            logger.info("现在用的模型：%s，在 %s%s", names["chat"], endpoint.shown, others)
        return models

    async def _close_models(self) -> None:
        """End the connections to the models, or the loading."""
        loading = self._models
        if loading is None or loading.cancel():
            return
        if not loading.cancelled() and loading.exception() is None:
            await loading.result().close()

    def _heard_in(self, conversation_id: str) -> set[str]:
        """The characters that were spoken to in a conversation."""
        with self.rooms.store.database.read() as connection:
            return characters_in(connection, conversation_id)

    def _is_paused(self, user_id: str) -> bool:
        with self.rooms.store.database.read() as connection:
            return bool(paused_among(connection, [user_id]))

    def _is_quiet(self, conversation_id: str) -> bool:
        with self.rooms.store.database.read() as connection:
            return is_quiet(connection, conversation_id)

    def _write_presence(self, scope: Scope, at: datetime) -> None:
        with self.rooms.store.database.write() as connection:
            note_presence(connection, scope.user_id, scope.conversation_id, at)

    def _card_in(self, conversation_id: str) -> Card:
        """The card of who plays in a conversation, as far as that is known without the account (R3.11)."""
        return self.roster.card(self.bindings.bound(conversation_id) or self.roster.default)

    def rhythm_of(self, character_id: str) -> Rhythm:
        """The clock of a character (R5.4)."""
        card = self.roster.card(character_id)
        return rhythm_of(card.timezone, card.sleep, self.settings.zone)


def _roster(store: Store, settings: Settings) -> Roster:
    """The characters below the data directory."""
    folder = store.directory
    return Roster(
        folder / CHARACTERS if folder else None,
        store.report,
        default=settings.character,
        personality=folder / PROMPTS / "personality.json" if folder else None,
        tools=[tool.name for tool in TOOLS],
    )


def life_rules_of(settings: Settings) -> LifeRules:
    """How often characters have a life of their own (R5.2)."""
    return LifeRules(
        interval=timedelta(minutes=settings.life_interval_minutes),
        idle=timedelta(minutes=settings.life_idle_minutes),
    )


def policy_of(settings: Settings) -> Policy:
    """What the operator allows beyond the default isolation (R1.17 c)."""
    linked = (frozenset(map(group_conversation, group)) for group in settings.linked_groups)
    return Policy(private_in_groups=settings.private_memory_in_groups, linked_groups=tuple(linked))


def endpoint_of(settings: Settings) -> Endpoint | None:
    """Where the model is (R4.13); `None` where the settings name no address."""
    if not settings.base_url:
        return None
    return Endpoint(
        base_url=settings.base_url, api_key=settings.api_key, settings=dict(settings.model_settings)
    )
