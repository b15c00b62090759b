"""The shuffler's driver and its pump at the real pyusb, against a simulated shuffler with a behaviour of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from usb_doubles import Host

from drivers.events import DeckTold, DeviceNote, DeviceReady
from drivers.shuffler import Shuffler
from drivers.wire import messages as m
from drivers.wire.decks import DeckReport, pack
from drivers.wire.link import Link, Side
from firmware_sim.shuffler import SimDeck

Start = Callable[..., Host]
MS = 1_000_000


@pytest.fixture(params=["clear", "sealed"])
def start(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Start]:
    hosts: list[Host] = []
    if request.param == "sealed":
        (tmp_path / "shuffler-key").write_bytes(bytes(range(32)))

    def started(**options: object) -> Host:
        host = Host(tmp_path, **options)
        hosts.append(host.__enter__())
        assert host.run(host.ready)
        return host

    yield started
    for host in hosts:
        host.__exit__()


def test_a_deck_is_shuffled_and_counted(start: Start) -> None:
    host = start()
    host.unit.put_in(SimDeck("R-1041", count=52))
    assert host.run(lambda: host.told("shuffle_done"))
    kinds = [event.kind for event in host.said if isinstance(event, DeckTold)]
    assert kinds == ["deck_in", "shuffle_started", "shuffle_done"]
    [done] = host.told("shuffle_done")
    assert (done.deck, done.count, done.doubles, done.unread) == ("R-1041", 52, 0, 0)
    host.unit.take_out()
    assert host.run(lambda: host.told("deck_out"))
    assert host.unit.device.shuffles == 1


def test_what_is_wrong_with_a_deck_is_told_in_numbers(start: Start) -> None:
    host = start()
    host.unit.put_in(SimDeck("B-7", count=53, doubles=1, unread=2))
    assert host.run(lambda: host.told("shuffle_done"))
    [done] = host.told("shuffle_done")
    assert (done.count, done.doubles, done.unread) == (53, 1, 2)


def test_a_machine_that_sees_no_faces_says_so_in_its_numbers(start: Start) -> None:
    host = start()
    host.unit.device.sees = False
    host.unit.put_in(SimDeck("B-7", count=52, doubles=1))
    assert host.run(lambda: host.told("shuffle_done"))
    [done] = host.told("shuffle_done")
    assert (done.count, done.doubles, done.unread) == (52, 0, 52)


def test_a_jam_ends_a_shuffle(start: Start) -> None:
    host = start()
    host.unit.put_in(SimDeck("B-7"))
    assert host.run(lambda: host.told("shuffle_started"))
    host.unit.jam()
    assert host.run(lambda: host.told("shuffle_failed"))
    assert host.told("shuffle_failed")[0].reason == "jam"


def test_f27_after_a_reset_no_shuffle_is_repeated_blindly(start: Start) -> None:
    host = start(read_ms=50)
    host.unit.put_in(SimDeck("R-1041"))
    assert host.run(lambda: host.told("shuffle_started"))
    before = host.unit.usb.address
    host.unit.usb.faults.stalled = host.unit.usb.faults.stalls_again = True
    assert host.run(lambda: host.ready() == 2 and host.told("shuffle_done"))
    assert host.unit.usb.resets == 1
    assert host.unit.usb.address != before
    assert host.run(lambda: False, 1.0) is False  # time for a repeat, if there were one
    assert host.unit.device.shuffles == 1
    assert len(host.told("shuffle_started")) == 1


def test_f27_a_shuffle_that_was_never_begun_is_ordered_anew_after_the_status(start: Start) -> None:
    host = start(read_ms=50)
    device = host.unit.device
    device.lid_open = True  # it refuses
    host.unit.put_in(SimDeck("R-1041"))
    assert host.run(lambda: "inhibited" in host.codes())
    host.unit.unplug()
    assert host.run(host.lost)
    device.lid_open = False
    host.unit.plug()
    assert host.run(lambda: host.told("shuffle_done"))
    assert device.shuffles == 1


def test_f28_ready_again_only_once_a_status_shows_it_enabled(start: Start) -> None:
    host = start(read_ms=50)
    device = host.unit.device
    device.lid_open = True  # so that it cannot be enabled when it comes back
    host.unit.usb.faults.stalled = host.unit.usb.faults.stalls_again = True
    assert host.run(lambda: host.opened == 2)
    assert device.deal is False  # the reset has made it forget
    assert host.run(lambda: host.ready() > 1, 1.5) is False
    device.lid_open = False
    assert host.run(lambda: host.ready() == 2)
    assert device.deal is True


def test_f32_an_event_after_idle_time_outs_is_received(start: Start) -> None:
    host = start(read_ms=50)
    host.unit.usb.faults.deaf_after_timeout = True
    assert host.run(lambda: host.unit.usb.out_of_step)
    host.unit.put_in(SimDeck("R-1041"))
    begun = time.monotonic()
    assert host.run(lambda: host.told("shuffle_done"), 5.0)
    assert time.monotonic() - begun < 5


def test_f32_a_deaf_endpoint_is_found_within_five_seconds(start: Start) -> None:
    host = start()
    host.unit.usb.faults.deaf = True
    host.unit.put_in(SimDeck("R-1041"))
    begun = time.monotonic()
    assert host.run(lambda: host.ready() > 1 and host.told("shuffle_done"), 8.0)
    assert host.unit.usb.resets == 1
    found = next(event for event in host.inbox.all if getattr(event, "reason", "").startswith("device deaf"))
    assert found.t_ns / 1e9 - begun < 5


def test_f24_unplugged_and_back_it_serves_within_five_seconds(start: Start) -> None:
    host = start()
    for _ in range(3):
        ready = host.ready()
        host.unit.unplug()
        assert host.run(lambda ready=ready: len(host.lost()) >= ready)
        host.unit.refuse_access(0.3)
        host.unit.plug()
        begun = time.monotonic()
        assert host.run(lambda ready=ready: host.ready() > ready)
        assert time.monotonic() - begun < 5


def test_a_restart_in_the_middle_of_a_shuffle_is_told(start: Start) -> None:
    host = start()
    host.unit.put_in(SimDeck("R-1041"))
    assert host.run(lambda: host.told("shuffle_started"))
    host.unit.restart()
    assert host.run(lambda: host.told("shuffle_failed") and host.ready() == 2)
    assert host.told("shuffle_failed")[0].reason == "power"


# --- in virtual time -------------------------------------------------------------------------------------------------


class Machine:
    """A shuffler's end of the line, by hand."""

    def __init__(self, serial: str = "X-1") -> None:
        self.driver = Shuffler("shuffler", 0, serial=serial)
        self.link = Link(Side.DEVICE)
        self.now = 10 * MS
        self.said: list[object] = list(self.driver.opened(self.now))
        [ask] = [one for one in self.heard() if isinstance(one, m.HelloAsk)]
        self.say(m.Hello(ask.nonce, bytes(8), 0, 0, m.CardState.NONE, "SHUFFLER/T", "X-1", "1"))

    def heard(self) -> list[object]:
        return list(self.link.receive(self.driver.outgoing()))

    def say(self, message: m.DeviceMessage) -> None:
        self.give(self.link.send(message))

    def give(self, data: bytes) -> None:
        self.said += self.driver.receive(data, self.now)

    def after(self, ms: int) -> list[object]:
        """Time passes; what the driver sends meanwhile."""
        found: list[object] = []
        for _ in range(ms // 10):
            self.now += 10 * MS
            due = self.driver.next_tick_ns
            if due is not None and due <= self.now:
                self.said += self.driver.tick(self.now)
            found += self.heard()
        return found

    def serve(self, log_last: int = 0, deal: int = 1) -> None:
        """The next poll is answered, and what else is asked is done."""
        for asked in self.after(200):
            match asked:
                case m.Poll(poll_no=poll_no):
                    self.say(m.Status(poll_no, log_last, deal))
                case m.DealEnable(command_id=number) | m.Shuffle(command_id=number):
                    self.say(m.Done(number, m.Result.DONE))


def test_f29_a_frame_in_pieces_is_one_message() -> None:
    machine = Machine()
    machine.serve()
    line = machine.link.send(m.Event(1, m.EventKind.LID_OPEN))
    machine.give(line[:3])
    machine.after(100)
    assert not [one for one in machine.said if isinstance(one, DeviceNote)]
    machine.give(line[3:])
    assert [one for one in machine.said if isinstance(one, DeviceNote)] == [DeviceNote("shuffler", 1, "lid_open")]
    assert "truncated" not in [getattr(one, "code", "") for one in machine.said]


def test_f29_a_frame_that_breaks_off_is_told_once() -> None:
    machine = Machine()
    machine.serve()
    machine.give(machine.link.send(m.Event(1, m.EventKind.LID_OPEN))[:3])
    machine.after(3000)
    assert [getattr(one, "code", "") for one in machine.said].count("truncated") == 1
    assert not [one for one in machine.said if isinstance(one, DeviceNote)]


def test_not_ready_before_a_status_shows_it_enabled() -> None:
    machine = Machine()
    assert not [one for one in machine.said if isinstance(one, DeviceReady)]
    machine.serve(deal=0)
    assert not [one for one in machine.said if isinstance(one, DeviceReady)]
    machine.serve(deal=1)
    assert len([one for one in machine.said if isinstance(one, DeviceReady)]) == 1


def test_nothing_is_ordered_before_everything_told_is_on_disk() -> None:
    machine = Machine()
    machine.serve()
    machine.serve()
    detail = pack(m.EventKind.DECK_IN, DeckReport(deck="R-1"))
    machine.say(m.Event(1, m.EventKind.DECK_IN, detail=detail))
    machine.driver.shuffle("R-1")
    machine.serve(log_last=1)
    assert machine.driver._order is None  # its event is not acknowledged yet
    machine.driver.acknowledge(1)
    machine.serve(log_last=1)
    assert machine.driver._order == m.Shuffle(machine.driver._order.command_id, "R-1")


def test_an_answered_order_is_not_given_twice() -> None:
    machine = Machine()
    machine.serve()
    machine.driver.shuffle("R-1")
    orders = 0
    for _ in range(20):
        for asked in machine.after(200):
            match asked:
                case m.Poll(poll_no=poll_no):
                    machine.say(m.Status(poll_no, 0, 1))
                case m.Shuffle(command_id=number):
                    orders += 1
                    machine.say(m.Done(number, m.Result.DONE))
                case m.DealEnable(command_id=number):
                    machine.say(m.Done(number, m.Result.DONE))
    assert orders == 1


def test_a_card_from_a_shuffler_is_neither_taken_nor_kept() -> None:
    machine = Machine()
    machine.serve()
    machine.say(m.Event(1, m.EventKind.CARD, 51))
    [note] = [one for one in machine.said if isinstance(one, DeviceNote)]
    assert note.kind == "card_told"
    assert "As" not in repr(note)


def test_a_machine_that_says_another_serial_number_than_its_plug_is_not_believed() -> None:
    machine = Machine(serial="X-2")
    machine.serve()
    machine.serve()
    assert [getattr(one, "code", type(one).__name__) for one in machine.said] == ["wrong_device"]
    assert not [asked for asked in machine.after(900) if isinstance(asked, m.Poll)]  # it stays inhibited
