"""Who and where: scopes, viewers, conversation ids, and the one rule about who may see what.

The rule is about the AUDIENCE (R1.17): something said in one conversation may be used in another
only if everyone who reads that other one may know it. Everything here is pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Literal

from .errors import InvalidInput

ConversationKind = Literal["private", "group", "web", "unknown"]

_PRIVATE = "qq_private_"
_GROUP = "qq_group_"
_WEB = "web_"


EVERYWHERE = "*"
"""Stands for the conversation of what was imported as trusted: whoever reads it may know it (R1.17 d)."""


def private_conversation(user_id: str) -> str:
    """Conversation id of a person's private chat (R7.1)."""
    return f"{_PRIVATE}{user_id}"


def group_conversation(group_id: str) -> str:
    """Conversation id of a group (R7.1)."""
    return f"{_GROUP}{group_id}"


def group_of(conversation_id: str) -> str | None:
    """The group id a group's conversation id names; `None` for other conversations."""
    return conversation_id.removeprefix(_GROUP) if kind_of(conversation_id) == "group" else None


@lru_cache(maxsize=4096)
def kind_of(conversation_id: str | None) -> ConversationKind:
    """What kind of conversation an id names; ids of no known form are `unknown`."""
    for prefix, kind in _KINDS:
        if conversation_id and conversation_id.startswith(prefix) and conversation_id != prefix:
            return kind
    return "unknown"


_KINDS: tuple[tuple[str, ConversationKind], ...] = (
    (_PRIVATE, "private"),
    (_GROUP, "group"),
    (_WEB, "web"),
)


@dataclass(frozen=True, slots=True)
class Scope:
    """Who speaks to which character where (R2.20)."""

    character_id: str
    """The character that is spoken to."""
    conversation_id: str
    """Where: `qq_private_…`, `qq_group_…`, `web_…`, or any other id for library use."""
    user_id: str
    """Who speaks."""
    private: bool
    """Whether only this user reads the conversation."""


def scope_in(character_id: str, conversation_id: str, user_id: str) -> Scope:
    """The scope that ids mean by themselves: everything but a group is private."""
    return Scope(character_id, conversation_id, user_id, kind_of(conversation_id) != "group")


def check_scope(scope: object) -> None:
    """Refuse a scope nothing can be kept under, at the door of a room (R2.20).

    Raises:
        InvalidInput: it is no `Scope`, or a field of it is empty or of another type; named in the message.
    """
    if not isinstance(scope, Scope):
        raise InvalidInput(f"scope 需要是 Scope，收到的是 {scope!r}")
    for name in ("character_id", "conversation_id", "user_id"):
        value: object = getattr(scope, name)
        if not isinstance(value, str) or not value.strip() or "\0" in value or not _is_encodable(value):
            raise InvalidInput(f"Scope 的 {name} 需要是非空的文字，收到的是 {value!r}")
    if scope.conversation_id == EVERYWHERE:
        raise InvalidInput(f"Scope 的 conversation_id 不能是 {EVERYWHERE!r}：它代表处处")
    if scope.private not in (True, False):
        raise InvalidInput(f"Scope 的 private 需要是 True 或 False，收到的是 {scope.private!r}")


def _is_encodable(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Viewer:
    """For whom something is recalled: a user in a conversation, and the groups they have spoken in."""

    character_id: str
    user_id: str
    conversation_id: str
    seen_in: Mapping[str, datetime] = field(default_factory=dict[str, datetime])
    """Conversation id → first time this user was seen speaking there (timezone-aware)."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a remembered thing comes from."""

    conversation_id: str | None
    people: tuple[str, ...] = ()
    """The user ids it is from or about."""
    at: datetime | None = None
    """When it was said (timezone-aware); a thing of a group without it is seen only there."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What the operator allows beyond the default isolation (R1.17 c)."""

    private_in_groups: bool = False
    """Whether a person's own private chat may be used when they speak in a group."""
    linked_groups: tuple[frozenset[str], ...] = ()
    """Sets of group conversation ids that share what they know."""


def may_see(viewer: Viewer, origin: Origin, policy: Policy) -> bool:
    """Whether a thing of this origin may be used in the viewer's conversation (R1.17). Fails closed.

    Args:
        viewer: the user and conversation it would be shown to.
        origin: where the thing was said, by or about whom, and when.
        policy: what the operator allows.
    """
    here = viewer.conversation_id
    if here and origin.conversation_id == here:
        return True
    if not here or not viewer.user_id:
        return False
    if origin.conversation_id == EVERYWHERE:
        return True
    from_group = kind_of(origin.conversation_id) == "group"
    if kind_of(here) == "group":
        if from_group:
            return any({here, origin.conversation_id} <= linked for linked in policy.linked_groups)
        return policy.private_in_groups and _owners(origin) == frozenset({viewer.user_id})
    if kind_of(here) == "private" and here != private_conversation(viewer.user_id):
        return False
    if from_group:
        return _not_before_first_sighting(viewer, origin)
    return viewer.user_id in _owners(origin)


def reachable(viewer: Viewer, policy: Policy) -> frozenset[str]:
    """The conversations from which `may_see` can let anything through: a filter for queries.

    It is wider than the rule, never narrower, for things whose people were seen where they spoke.
    """
    here, user = viewer.conversation_id, viewer.user_id
    own = {private_conversation(user), *(c for c in viewer.seen_in if kind_of(c) != "group")}
    if kind_of(here) == "group":
        linked = {c for group in policy.linked_groups if here in group for c in group}
        return frozenset({here, EVERYWHERE} | linked | (own if policy.private_in_groups else set()))
    return frozenset({here, EVERYWHERE} | own | set(viewer.seen_in))


def _owners(origin: Origin) -> frozenset[str]:
    """The users whose own private chat an origin (not a group) is."""
    conversation = origin.conversation_id or ""
    match kind_of(conversation):
        case "private":
            return frozenset({conversation.removeprefix(_PRIVATE)})
        case "web":
            # A web chat has one reader, but its id does not name them: several people are ambiguous.
            return frozenset(origin.people) if len(set(origin.people)) == 1 else frozenset()
        case _:
            return frozenset(origin.people)


def _not_before_first_sighting(viewer: Viewer, origin: Origin) -> bool:
    first = viewer.seen_in.get(origin.conversation_id or "")
    if first is None or origin.at is None:
        return False
    if first.tzinfo is None or origin.at.tzinfo is None:
        return False
    return origin.at >= first
