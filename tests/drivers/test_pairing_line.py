"""Pairing on a line that closes and opens meanwhile, and a switch that is set late or never; virtual time."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.runtime.closed_ports import ClosedPorts
from drivers.events import (
    BY_PEOPLE,
    DeviceEvent,
    DeviceFault,
    DeviceLost,
    DevicePaired,
    DeviceReady,
    PortBytes,
    PortClosed,
    PortOpened,
)
from drivers.pairing import Pairable
from drivers.shoe import Shoe
from drivers.wire.framing import DELIMITER
from drivers.wire.session import HostSeal
from firmware_sim.event_log import EventLog
from firmware_sim.shoe import ShoeDevice

MS = 1_000_000
SECOND = 1000 * MS
STEP_NS = 10 * MS
DEAF = "device deaf: it answers nothing"
NO_ANSWER = "no device answered in 60 s: open pairing on it, then try again"


class Bench:
    """A shoe that was never paired, the daemon's end of its line, and time that passes when it is told to.

    `key`: the table has one all the same.
    """

    def __init__(self, folder: Path, key: bytes | None = None) -> None:
        entropy = random.Random(3).randbytes
        self.shoe = ShoeDevice(EventLog(folder / "events"), entropy=entropy)
        self.shoe.outgoing()  # what it said when it was switched on, nobody heard
        seal = HostSeal(key, entropy)
        self.host = Pairable(Shoe("shoe", 0, seal=seal), seal, entropy)
        self.now_ns = SECOND
        self.open = False
        self.said: list[DeviceEvent] = []
        self.asked = 0  # frames that went to the shoe

    def plug(self) -> None:
        self.open = True
        self.said += self.host.opened(self.now_ns)

    def reset(self) -> None:
        """The pump has heard nothing, as on USB: the port closes, and is open again at once."""
        self.shut(DEAF)
        self.plug()

    def shut(self, reason: str) -> None:
        self.open = False
        self.said += self.host.closed(reason, self.now_ns)

    def pair(self) -> None:
        self.said += self.host.pair(self.now_ns)

    def set_switch(self) -> None:
        self.shoe.pairing_until_ns = self.now_ns + 60 * SECOND

    def run(self, ns: int, reset_every_ns: int = 0) -> None:
        until = self.now_ns + ns
        while self.now_ns < until:
            self.now_ns += STEP_NS
            if reset_every_ns and self.now_ns % reset_every_ns == 0:
                self.reset()
            due = self.host.next_tick_ns
            if due is not None and self.now_ns >= due:
                self.said += self.host.tick(self.now_ns)
            self._carry()

    def _carry(self) -> None:
        out = self.host.outgoing()
        if not self.open:
            return
        self.asked += bool(out.strip(DELIMITER))
        self.shoe.receive(out, self.now_ns)
        self.shoe.tick(self.now_ns)
        self.said += self.host.receive(self.shoe.outgoing(), self.now_ns)

    def codes(self) -> list[str]:
        return [e.code if isinstance(e, DeviceFault) else type(e).__name__ for e in self.said]

    def failures(self) -> list[str]:
        return [e.detail for e in self.said if isinstance(e, DeviceFault) and e.code == "pairing"]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    yield bench
    bench.shoe._log.close()


def paired(bench: Bench) -> bool:
    return any(isinstance(e, DevicePaired) for e in bench.said) and any(isinstance(e, DeviceReady) for e in bench.said)


@pytest.mark.parametrize("late_s", [0, 5, 55])
def test_a_switch_set_late_finds_the_next_question_though_the_port_is_reset_again_and_again(
    bench: Bench, late_s: int
) -> None:
    bench.plug()
    bench.run(3 * SECOND)
    bench.pair()
    bench.run(late_s * SECOND, reset_every_ns=4 * SECOND)
    assert not paired(bench)
    bench.set_switch()
    bench.run(2 * SECOND)
    assert paired(bench) and bench.failures() == []


def test_a_switch_that_nobody_sets_ends_it_after_a_minute_and_the_line_is_the_devices_again(bench: Bench) -> None:
    bench.plug()
    bench.pair()
    bench.run(59 * SECOND, reset_every_ns=4 * SECOND)
    assert bench.failures() == []
    bench.run(2 * SECOND)
    assert bench.failures() == [NO_ANSWER]
    bench.set_switch()
    before = bench.asked
    bench.run(2 * SECOND)
    assert bench.asked > before and not paired(bench), "it is asked who it is, and no more for a key"


def test_a_port_that_is_closed_when_people_ask_is_waited_for(bench: Bench) -> None:
    bench.pair()
    bench.set_switch()
    bench.run(5 * SECOND)
    assert bench.codes() == []
    bench.plug()
    bench.run(SECOND)
    assert paired(bench)


def test_a_plug_that_stays_out_fails_it_after_a_minute_with_the_reason(bench: Bench) -> None:
    bench.plug()
    bench.pair()
    bench.run(SECOND)
    bench.shut("device gone")
    bench.run(58 * SECOND)
    assert bench.failures() == []
    bench.run(2 * SECOND)
    assert bench.failures() == ["device gone"]
    assert bench.said[-1] == DeviceLost("shoe", "device gone")
    assert bench.host.next_tick_ns is None, "nothing is due at a closed port"
    bench.plug()
    assert bench.host.next_tick_ns is not None


def test_that_there_is_no_key_is_told_once_until_there_was_one(bench: Bench) -> None:
    bench.plug()
    for _ in range(100):
        bench.run(SECOND)
        bench.reset()
        bench.shoe.restart()  # and says HELLO in clear
    assert bench.codes().count("unpaired") == 1
    assert bench.codes().count("DeviceLost") == 1
    bench.pair()
    bench.set_switch()
    bench.run(2 * SECOND)
    assert paired(bench)
    bench.pair()
    bench.run(2 * SECOND)
    bench.said += bench.host.revoke(bench.now_ns)
    assert [e.reason for e in bench.said if isinstance(e, DeviceLost)][-2:] == list(BY_PEOPLE)
    bench.reset()
    assert bench.codes().count("unpaired") == 2


class Log:
    """The daemon's, as far as a port is told there."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def warning(self, _event: str, **keys: str) -> None:
        self.reasons.append(keys["reason"])


def test_an_hour_of_silence_is_told_in_three_lines(tmp_path: Path) -> None:
    """The table has a key, the device none: reset every minute, silent in between; both reasons take turns."""
    bench, log = Bench(tmp_path, key=bytes(32)), Log()
    ports = ClosedPorts(log)  # type: ignore[arg-type]
    bench.plug()
    for _ in range(60):
        bench.run(60 * SECOND)
        bench.reset()
        ports.heard(PortClosed("shoe", DEAF, 1, bench.now_ns))
        ports.heard(PortOpened("shoe", bench.now_ns))
    bench.shoe._log.close()
    assert bench.said == [DeviceLost("shoe", "no answer for 5 s"), DeviceLost("shoe", DEAF)]
    assert log.reasons == [DEAF]
    ports.heard(PortBytes("shoe", b"!", bench.now_ns))
    ports.heard(PortClosed("shoe", DEAF, 1, bench.now_ns))
    assert log.reasons == [DEAF, DEAF], "it had spoken: that is another loss"
