"""The QQ account behind the websocket: what it knows, what it sent, how it answers API calls."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from .payloads import (
    Json,
    Segment,
    group_message,
    plain_text,
    private_message,
    text,
    to_segments,
)

Refusal: TypeAlias = tuple[int, str]
"""Return code and message of a failed action."""

BAD_PARAMS, UNKNOWN_ACTION, EMPTY_MESSAGE, NOT_FOUND = 1400, 1404, 100, 1200


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A message the bot has sent."""

    kind: Literal["private", "group"]
    target_id: int
    """The user or the group it went to."""
    message: list[Segment]
    """Its segments, whatever form the call had; `node` segments for a forwarded bundle."""
    message_id: int

    @property
    def text(self) -> str:
        """Only the words."""
        return plain_text(self.message)


@dataclass(frozen=True, kw_only=True)
class ApiCall:
    """An API call the bot has made, answered or not."""

    action: str
    params: Json
    at: float
    """When it came, on the monotonic clock."""


class ActionRefused(Exception):
    """Raise it in an action to answer `failed` with this return code."""

    def __init__(self, retcode: int, message: str) -> None:
        super().__init__(retcode, message)
        self.retcode = retcode
        self.message = message


@dataclass(kw_only=True, eq=False)
class Account:
    """State a test fills in or looks at, and the actions that work on it."""

    self_id: int
    nickname: str = "小忆"
    members: dict[tuple[int, int], Json] = field(default_factory=dict)
    """(group, user) → what `get_group_member_info` tells, besides its defaults."""
    strangers: dict[int, Json] = field(default_factory=dict)
    """User → what `get_stranger_info` tells, besides its defaults."""
    groups: dict[int, str] = field(default_factory=dict)
    """Group → name; groups with a member or a message are added."""
    messages: dict[int, Json] = field(default_factory=dict)
    """Every message seen or sent, by id, as its event."""
    sent: list[Sent] = field(default_factory=list)
    """All the bot has sent, oldest first."""
    uploads: list[Json] = field(default_factory=list)
    """All files the bot has uploaded, oldest first."""
    fail: dict[str, Refusal | Callable[[Json], Refusal | None]] = field(default_factory=dict)
    """Action → how it fails; a function looks at the parameters and may let one pass (None)."""
    actions: dict[str, Callable[[Json], Any]] = field(init=False)
    """Action → function from parameters to answer data; a test may add or replace some."""

    def __post_init__(self) -> None:
        self._ids = random.Random(self.self_id)
        self.actions = {
            "send_msg": self._send_msg,
            "send_private_msg": lambda params: self._send("private", params),
            "send_group_msg": lambda params: self._send("group", params),
            "send_private_forward_msg": lambda params: self._send_forward("private", params),
            "send_group_forward_msg": lambda params: self._send_forward("group", params),
            "upload_private_file": lambda params: self.uploads.append(params),
            "get_msg": self._get_msg,
            "get_group_member_info": self._get_group_member_info,
            "get_stranger_info": self._get_stranger_info,
            "get_group_list": self._get_group_list,
            "get_login_info": lambda _: {"user_id": self.self_id, "nickname": self.nickname},
            "get_status": lambda _: {"online": True, "good": True},
            "get_version_info": lambda _: {
                "app_name": "sim",
                "app_version": "1.0.0",
                "protocol_version": "v11",
            },
        }

    def member(
        self,
        group_id: int,
        user_id: int,
        *,
        nickname: str,
        card: str = "",
        role: str = "member",
        **more: object,
    ) -> None:
        """Make somebody known to `get_group_member_info`."""
        self.groups.setdefault(group_id, f"群{group_id}")
        known = {"nickname": nickname, "card": card, "role": role, **more}
        self.members[group_id, user_id] = known

    def new_message_id(self) -> int:
        """A positive 32-bit number, in no order (as with NapCat), the same in every run."""
        while (message_id := self._ids.randint(1, 2**31 - 1)) in self.messages:
            pass
        return message_id

    def answer(self, action: str, params: Json) -> Json:
        """Carry out one API call; the answer lacks only `echo`."""
        try:
            data = self._carry_out(action, params)
        except ActionRefused as refusal:
            return _failed(refusal.retcode, refusal.message)
        except (KeyError, TypeError, ValueError) as error:
            return _failed(BAD_PARAMS, f"bad parameters: {error!r}")
        return {"status": "ok", "retcode": 0, "data": data, "message": "", "wording": ""}

    def _carry_out(self, action: str, params: Json) -> Any:
        refusal = self.fail.get(action)
        if callable(refusal):
            refusal = refusal(params)
        if refusal is not None:
            raise ActionRefused(*refusal)
        if action not in self.actions:
            raise ActionRefused(UNKNOWN_ACTION, f"unknown action {action!r}")
        return self.actions[action](params)

    def _send_msg(self, params: Json) -> Json:
        kind = params.get("message_type") or ("group" if params.get("group_id") else "private")
        return self._send(kind, params)

    def _send(self, kind: str, params: Json) -> Json:
        message = params["message"]
        literal = params.get("auto_escape") and isinstance(message, str)
        segments = [text(message)] if literal else to_segments(message)
        if all(s["type"] == "text" and not s["data"]["text"] for s in segments):
            raise ActionRefused(EMPTY_MESSAGE, "EMPTY_MESSAGE")
        return {"message_id": self._keep(kind, params, segments).message_id}

    def _send_forward(self, kind: str, params: Json) -> Json:
        nodes = to_segments(params["messages"])
        if not nodes or any(node["type"] != "node" for node in nodes):
            raise ValueError("a forwarded bundle is a list of nodes")
        sent = self._keep(kind, params, nodes)
        return {"message_id": sent.message_id, "forward_id": f"forward-{sent.message_id}"}

    def _keep(self, kind: str, params: Json, segments: list[Segment]) -> Sent:
        message_id = self.new_message_id()
        if kind == "group":
            target_id = int(params["group_id"])
            event = group_message(
                self.self_id,
                target_id,
                self.self_id,
                segments,
                message_id=message_id,
                nickname=self.nickname,
            )
            sent = Sent(kind="group", target_id=target_id, message=segments, message_id=message_id)
        elif kind == "private":
            target_id = int(params["user_id"])
            event = private_message(
                self.self_id,
                self.self_id,
                segments,
                message_id=message_id,
                nickname=self.nickname,
            )
            event["target_id"] = target_id
            sent = Sent(kind="private", target_id=target_id, message=segments, message_id=message_id)
        else:
            raise ValueError(f"message_type {kind!r} is neither 'private' nor 'group'")
        self.messages[message_id] = event
        self.sent.append(sent)
        return sent

    def _get_msg(self, params: Json) -> Json:
        message = self.messages.get(int(params["message_id"]))
        if message is None:
            raise ActionRefused(NOT_FOUND, "message not found")
        return {key: value for key, value in message.items() if key != "post_type"}

    def _get_group_member_info(self, params: Json) -> Json:
        group_id, user_id = int(params["group_id"]), int(params["user_id"])
        if (group_id, user_id) not in self.members:
            raise ActionRefused(NOT_FOUND, f"{user_id} is no member of group {group_id}")
        return {
            "group_id": group_id,
            "user_id": user_id,
            "sex": "unknown",
            "age": 0,
            "area": "",
            "level": "1",
            "join_time": 1700000000,
            "last_sent_time": 1700000000,
            "unfriendly": False,
            "title": "",
            "title_expire_time": 0,
            "card_changeable": True,
            **self.members[group_id, user_id],
        }

    def _get_stranger_info(self, params: Json) -> Json:
        user_id = int(params["user_id"])
        known = self.strangers.get(user_id, {})
        return {
            "user_id": user_id,
            "nickname": f"用户{user_id}",
            "sex": "unknown",
            "age": 0,
            **known,
        }

    def _get_group_list(self, _: Json) -> list[Json]:
        return [
            {
                "group_id": group_id,
                "group_name": name,
                "member_count": sum(group == group_id for group, _ in self.members),
                "max_member_count": 200,
            }
            for group_id, name in self.groups.items()
        ]


def _failed(retcode: int, message: str) -> Json:
    return {
        "status": "failed",
        "retcode": retcode,
        "data": None,
        "message": message,
        "wording": message,
    }
