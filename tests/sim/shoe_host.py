"""The host's end of the line, by hand: for tests of the simulated shoe in virtual time."""

from __future__ import annotations

from pathlib import Path

from drivers.wire.link import Link, Side
from drivers.wire.messages import DealEnable, Done, Event, HelloAsk, Message, Poll, Result, Status
from firmware_sim.event_log import EventLog
from firmware_sim.numbered import MS
from firmware_sim.shoe import ShoeDevice

NONCE = 7


class Host:
    """The other end, by hand: what the device says, and time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.device = ShoeDevice(EventLog(folder / "events"))
        self.link = Link(Side.HOST)
        self.now = 0

    def hear(self) -> list[Message]:
        return list(self.link.receive(self.device.outgoing()))  # type: ignore[misc]

    def say(self, message: Message) -> list[Message]:
        self.device.receive(self.link.send(message), self.now)
        return self.hear()

    def after(self, ms: int) -> list[Message]:
        self.now += ms * MS
        self.device.tick(self.now)
        return self.hear()

    def session(self, acked: int = 0) -> list[Message]:
        self.say(HelloAsk(NONCE))
        return self.say(Poll(1, acked))

    def deal(self) -> None:
        assert self.say(DealEnable(1, 1)) == [Done(1, Result.DONE)]

    def status(self, poll_no: int, acked: int = 0) -> Status:
        [status] = [item for item in self.say(Poll(poll_no, acked)) if isinstance(item, Status)]
        return status


def numbers(messages: list[Message]) -> list[int]:
    return [message.event_no for message in messages if isinstance(message, Event)]
