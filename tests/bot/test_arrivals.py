"""R4.4: messages of a conversation in the order they came, whatever happens to them on the way."""

import asyncio
import gc

from nonebot_plugin_memoryfs.bot.arrivals import Arrivals

from .events import group, private


async def test_r4_04_a_later_message_waits_for_an_earlier_one_of_its_conversation() -> None:
    arrivals = Arrivals()
    first, second, elsewhere = group("一"), group("二"), private("三")
    for event in (first, second, elsewhere):
        arrivals.come(event)
    taken: list[str] = []

    async def take(name: str, event: object) -> None:
        await arrivals.turn_of(event)  # pyright: ignore[reportArgumentType]
        taken.append(name)
        arrivals.leave(event)  # pyright: ignore[reportArgumentType]

    late = asyncio.create_task(take("second", second))
    await asyncio.create_task(take("elsewhere", elsewhere))
    await asyncio.create_task(take("first", first))
    await late
    assert taken == ["elsewhere", "first", "second"]


async def test_r4_04_one_that_never_gets_here_is_not_waited_for() -> None:
    arrivals = Arrivals(waits=60)
    dropped, second = group("一"), group("二")
    arrivals.come(dropped)
    arrivals.come(second)
    del dropped
    gc.collect()
    async with asyncio.timeout(5):
        await arrivals.turn_of(second)


async def test_r4_04_another_plugin_that_is_busy_delays_nobody_for_long() -> None:
    arrivals = Arrivals(waits=0.01)
    busy, second = group("一"), group("二")
    arrivals.come(busy)
    arrivals.come(second)
    async with asyncio.timeout(5):
        await arrivals.turn_of(second)
    await arrivals.turn_of(private("没有登记过"))


async def test_r4_04_nothing_is_kept_of_messages_that_left() -> None:
    arrivals = Arrivals()
    event = group("一")
    arrivals.come(event)
    arrivals.leave(event)
    arrivals.leave(event)
    assert not arrivals._here  # pyright: ignore[reportPrivateUsage]
