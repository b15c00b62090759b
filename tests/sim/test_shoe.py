"""The simulated shoe against the page (examples byte by byte) and against the host's driver over a real pty."""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from drivers.events import CardRead, DeviceEvent, DeviceNote, DeviceReady, EventsLost, PortBytes, PortClosed, PortEvent
from drivers.shoe import Shoe
from drivers.transport.serial_port import SerialPump
from drivers.wire.messages import (
    Ack,
    DealEnable,
    Done,
    Event,
    EventKind,
    Hello,
    HelloAsk,
    Lost,
    Poll,
    Resend,
    Result,
    Status,
)
from drivers.wire.session import HostSeal
from firmware_sim.event_log import KEPT, EventLog
from firmware_sim.numbered import MS
from firmware_sim.shoe import ShoeDevice
from firmware_sim.shoe_unit import ShoeUnit
from tests.sim.shoe_host import NONCE, Host, numbers


def test_example_frames_of_the_page(host: Host) -> None:
    for _ in range(41):
        host.device.happen(EventKind.CUT_CARD, 0, 0)
    host.session(acked=41)
    host.device.outgoing()
    host.device.card("As", 0)
    line = "02 01 02 83 02 2a 01 01 01 01 01 01 07 01 33 ef e6 59 a5 00"
    assert host.device.outgoing() == bytes.fromhex(line)
    host.after(250)
    host.device.tick(host.now + 250 * MS)
    again = "02 01 04 83 01 2a 01 01 01 01 01 01 07 01 33 2f 39 d7 64 00"
    assert host.device.outgoing() == bytes.fromhex(again)


def test_power_up_says_hello_zero_and_obeys_nothing(host: Host) -> None:
    first = host.device.outgoing()
    assert first[0] == 0
    [hello] = host.link.receive(first)
    assert isinstance(hello, Hello)
    assert (hello.nonce, hello.log_first, hello.log_last) == (0, 0, 0)
    host.device.card("2c", 0)
    assert host.hear() == []
    assert host.say(DealEnable(1, 1)) == []
    [again] = host.say(Poll(1, 0))
    assert isinstance(again, Hello)
    assert again.nonce == 0
    assert not host.device.deal


def test_what_was_acknowledged_is_remembered_over_power_and_never_falls(tmp_path: Path) -> None:
    host = Host(tmp_path)
    for card in ("2c", "3c", "4c"):
        host.device.card(card, 0)
    host.session(acked=1)
    host.say(Ack(2))
    host.say(HelloAsk(NONCE + 1))
    host.say(Poll(1, 0))  # another journal, which knows none of them
    assert host.device.acked == 0
    for _ in range(5 * KEPT):
        host.device.happen(EventKind.CUT_CARD, 0, 0)
    hello = [item for item in Host(tmp_path).hear() if isinstance(item, Hello)]
    assert [(item.acked, item.log_last) for item in hello] == [(2, 3 + 5 * KEPT)]


def test_no_event_before_the_first_poll_and_its_number_counts_up_or_down(host: Host) -> None:
    for card in ("2c", "3c", "4c"):
        host.device.card(card, 0)
    host.hear()
    [hello] = host.say(HelloAsk(NONCE))
    assert isinstance(hello, Hello)
    assert hello.log_last == 3
    assert host.say(Ack(3)) == []
    assert numbers(host.say(Poll(1, 2))) == [3]
    assert numbers(host.say(Poll(2, 1))) == []  # a later poll only raises
    host.say(HelloAsk(8))
    assert numbers(host.say(Poll(1, 99))) == [1, 2, 3]  # a number it never used means none


def test_repeats_every_250_ms_until_acknowledged(host: Host) -> None:
    host.session()
    host.device.card("2c", host.now)
    assert numbers(host.hear()) == [1]
    assert host.after(249) == []
    [again] = host.after(1)
    assert again == Event(1, EventKind.CARD, 0, again=True)
    assert numbers(host.after(250)) == [1]
    assert host.say(Ack(1)) == []
    assert host.after(300) == []


def test_window_of_sixteen(host: Host) -> None:
    host.session()
    for _ in range(20):
        host.device.happen(EventKind.CUT_CARD, 0, host.now)
    assert numbers(host.hear()) == list(range(1, 17))
    assert numbers(host.say(Ack(2))) == [17, 18]


def test_resend_and_lost(host: Host) -> None:
    host.session()
    for _ in range(5):
        host.device.happen(EventKind.CUT_CARD, 0, host.now)
    host.hear()
    host.say(Ack(5))
    host.device.lose_log(3)
    answer = host.say(Resend(2))
    assert answer[0] == Lost(2, 3)
    assert numbers(answer) == [4, 5]
    assert all(message.again for message in answer if isinstance(message, Event))
    assert host.say(Resend(9)) == []


def test_deal_is_inhibited_without_polls_and_polls_alone_do_not_bring_it_back(host: Host) -> None:
    host.session()
    host.deal()
    host.after(999)
    assert host.device.deal
    host.after(1)
    assert not host.device.deal
    [status] = host.say(Poll(2, 0))
    assert isinstance(status, Status)
    assert status.deal == 0
    assert host.say(DealEnable(1, 1)) == [Done(1, Result.DONE)]  # the kept answer; nothing is done
    assert not host.device.deal
    assert host.say(DealEnable(2, 1)) == [Done(2, Result.DONE)]
    assert host.device.deal
    assert host.say(DealEnable(1, 0)) == []  # lower: ignored


def test_lid_and_full_log_refuse(host: Host) -> None:
    host.session()
    host.deal()
    host.device.load(52, host.now)
    assert not host.device.deal
    host.device.lid_open = True
    assert Done(2, Result.LID_OPEN) in host.say(DealEnable(2, 1))
    host.device.lid_open = False
    for _ in range(KEPT):
        host.device.happen(EventKind.CUT_CARD, 0, host.now)
    host.hear()
    assert Done(3, Result.LOG_FULL) in host.say(DealEnable(3, 1))


def test_numbers_survive_power(host: Host, tmp_path: Path) -> None:
    host.device.card("2c", 0)
    host.device.card("3c", 0)
    (tmp_path / "events").open("a").write('[3, 1, "torn')
    later = ShoeDevice(EventLog(tmp_path / "events"))
    assert later.last_event == 2
    assert later.card("4c", 0) == 3


def test_numbers_survive_a_lost_memory(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events")
    for _ in range(9):
        log.append(1, 0)
    log.forget(9)
    assert (log.first, log.last) == (10, 9)
    log._compact()
    again = EventLog(tmp_path / "events")
    assert (again.first, again.last) == (10, 9)


def test_noise_is_counted_and_never_answered(host: Host) -> None:
    host.session()
    host.device.receive(b"\x05\x01\x02\x00" * 7, host.now)
    assert host.hear() == []
    [status] = host.say(Poll(2, 0))
    assert isinstance(status, Status)
    assert status.noise == 7


class Daemon:
    """The host's driver and its pump on the bench's pty: what tabled's loop does, without a table."""

    def __init__(self, path: Path, last_event: int = 0) -> None:
        key = path.with_name("shoe-key")
        self.shoe = Shoe("shoe", last_event, seal=HostSeal(key.read_bytes(), os.urandom) if key.exists() else None)
        self.inbox: queue.SimpleQueue[PortEvent] = queue.SimpleQueue()
        self.told: list[DeviceEvent] = []
        self.closed = 0
        self.pump = SerialPump("shoe", str(path), 115200, self.inbox.put, time.monotonic_ns, backoff=lambda _: 0.02)
        self.pump.start()

    def until(self, done: Callable[[], bool], timeout_s: float = 8.0) -> None:
        deadline = time.monotonic() + timeout_s
        while not done():
            assert time.monotonic() < deadline, self.told
            self.round()

    def round(self) -> None:
        try:
            event = self.inbox.get(timeout=0.02)
        except queue.Empty:
            self._take(self.shoe.tick(time.monotonic_ns()))
        else:
            match event:
                case PortBytes(data=data):
                    self._take(self.shoe.receive(data, time.monotonic_ns()))
                case PortClosed(reason=reason):
                    self.closed += 1
                    self._take(self.shoe.closed(reason, time.monotonic_ns()))
                case _:
                    self._take(self.shoe.opened(time.monotonic_ns()))
        self._take(self.shoe.tick(time.monotonic_ns()))
        self.pump.write(self.shoe.outgoing())

    def _take(self, events: list[DeviceEvent]) -> None:
        self.told += events
        for event in events:
            if isinstance(event, CardRead | DeviceNote):
                self.shoe.acknowledge(event.event_no)

    def cards(self) -> list[str | None]:
        seen = {event.event_no: event.card for event in self.told if isinstance(event, CardRead)}
        return [seen[number] for number in sorted(seen)]

    def ready(self) -> int:
        return sum(isinstance(event, DeviceReady) for event in self.told)


@pytest.fixture(params=["clear", "sealed"])
def unit(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[ShoeUnit]:
    if request.param == "sealed":
        (tmp_path / "shoe-key").write_bytes(bytes(range(32)))
    unit = ShoeUnit(tmp_path, seed=1)
    unit.start()
    yield unit
    unit.stop()


@pytest.fixture
def daemon(unit: ShoeUnit, tmp_path: Path) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path / "shoe")
    daemon.shoe.enable_deal(True)
    daemon.until(lambda: unit.deal)
    yield daemon
    daemon.pump.close()


def test_cards_over_a_pty(unit: ShoeUnit, daemon: Daemon) -> None:
    assert unit.card("As")
    assert unit.card("Td")
    assert unit.unread()
    daemon.until(lambda: unit.device.acked == 3)
    assert daemon.cards() == ["As", "Td", None]
    daemon.shoe.enable_deal(False)
    daemon.until(lambda: not unit.deal)
    assert not unit.card("2c")


@pytest.mark.parametrize("fault", ["noise", "twice"])
def test_a_bad_line_loses_and_doubles_nothing(unit: ShoeUnit, daemon: Daemon, fault: str) -> None:
    setattr(unit, fault, True)
    cards = ["2c", "3d", "4h", "5s", "6c", "7d"]
    for card in cards:
        daemon.until(lambda: unit.deal)
        assert unit.card(card)
    daemon.until(lambda: unit.device.acked == len(cards))
    assert daemon.cards() == cards


def test_lost_acknowledgements_come_again(unit: ShoeUnit, daemon: Daemon) -> None:
    unit.lose_acks(0.4)
    unit.card("As")
    daemon.until(lambda: unit.device.acked == 1)
    assert daemon.cards() == ["As"]
    assert sum(isinstance(event, CardRead) for event in daemon.told) > 1


def test_twenty_unplugs(unit: ShoeUnit, daemon: Daemon) -> None:
    for number in range(1, 21):
        unit.unplug()
        daemon.until(lambda number=number: daemon.closed >= number)  # type: ignore[misc]
        ready = daemon.ready()
        unit.plug()
        daemon.until(lambda ready=ready: daemon.ready() > ready)  # type: ignore[misc]
    daemon.until(lambda: unit.deal)
    unit.card("As")
    daemon.until(lambda: unit.device.acked == 1)
    assert daemon.cards() == ["As"]


def test_a_restarted_shoe_keeps_its_numbers(unit: ShoeUnit, daemon: Daemon) -> None:
    unit.card("As")
    daemon.until(lambda: unit.device.acked == 1)
    unit.restart()
    assert not unit.deal
    daemon.until(lambda: unit.deal)
    unit.card("2c")
    daemon.until(lambda: unit.device.acked == 2)
    assert daemon.cards() == ["As", "2c"]


def test_a_host_that_comes_back_gets_what_it_has_not_on_disk(unit: ShoeUnit, daemon: Daemon, tmp_path: Path) -> None:
    unit.card("As")
    daemon.until(lambda: unit.device.acked == 1)
    daemon.pump.close()
    unit.card("2c")
    later = Daemon(tmp_path / "shoe", last_event=1)
    later.until(lambda: unit.device.acked == 2)
    later.pump.close()
    assert later.cards() == ["2c"]


def test_events_gone_are_named(unit: ShoeUnit, daemon: Daemon, tmp_path: Path) -> None:
    daemon.pump.close()
    for card in ("As", "Ks", "Qs"):
        assert unit.card(card)
    unit.device.lose_log(2)
    later = Daemon(tmp_path / "shoe")
    later.until(lambda: later.cards() == ["Qs"])
    later.pump.close()
    assert EventsLost("shoe", 1, 2) in later.told
