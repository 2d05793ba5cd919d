"""Which messages are heard at all, and which are answered (R7.2)."""

from collections.abc import Callable, Collection

from nonebot.adapters.onebot.v11 import GroupMessageEvent, MessageEvent

from ..config import Settings
from .readable import mentions


def heard(event: MessageEvent, settings: Settings, own_accounts: Collection[str]) -> bool:
    """Whether a message counts: from somebody welcome, and not one of another bot's commands."""
    if event.get_plaintext().lstrip().startswith(settings.ignore_prefixes):
        return False
    return welcome(event, settings, own_accounts)


def welcome(event: MessageEvent, settings: Settings, own_accounts: Collection[str]) -> bool:
    """Whether the bot deals with the sender: no bot of ours, no anonymous or refused person or group."""
    user_id = str(event.user_id)
    if user_id in own_accounts or user_id == str(event.self_id) or user_id in settings.users_deny:
        return False
    if isinstance(event, GroupMessageEvent):
        group_id = str(event.group_id)
        if event.anonymous is not None or event.sub_type in ("anonymous", "notice"):
            return False
        allowed = not settings.groups_allow or group_id in settings.groups_allow
        return allowed and group_id not in settings.groups_deny
    return True


def addressed(event: MessageEvent, settings: Settings, chance: Callable[[], float]) -> bool:
    """Whether the character answers: private, mentioned anywhere, called, replied to, or by chance."""
    if not isinstance(event, GroupMessageEvent):
        return True
    if event.to_me or mentions(event.original_message, str(event.self_id)):
        return True
    return chance() < settings.chime_in.get(str(event.group_id), 0.0)


def manages(event: MessageEvent) -> bool:
    """Whether the sender is an owner or administrator of the group they speak in."""
    return isinstance(event, GroupMessageEvent) and event.sender.role in ("owner", "admin")
