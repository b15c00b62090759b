"""The panel on mock pins: edges, lamp, threads, lost edges. Failures F37 F43 F44 F45 F46 F47 of this layer."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
from pathlib import Path
from queue import Full, Queue
from typing import Any

import pytest
from gpio_doubles import Clock, Pi

from drivers.events import ButtonEdge, DeviceFault, Edge
from drivers.gpio.debounce import MS, Debouncer
from drivers.gpio.errors import PortError
from drivers.gpio.panel import Panel, chip_holder, open_panel
from drivers.gpio.pins import INPUTS, JACKPOT_LAMP, LEVELS
from tests.children import Child


class StillPi(Pi):
    """An edge is never older than the clock says: exact times in tests."""

    @staticmethod
    def ticks_diff(later: float, earlier: float) -> float:
        return 0.0


@pytest.fixture
def pi() -> Pi:
    return StillPi()


def pin(pi: Pi, name: str) -> Any:
    return pi.pin(INPUTS[name])


def test_every_input_posts_its_edges(pi: Pi) -> None:
    clock, edges = Clock(), []
    panel = Panel(pi, edges.append, clock)
    for name in INPUTS:
        clock.now_ns += 100
        pin(pi, name).drive_low()
        assert panel.read_level(name)
        clock.now_ns += 100
        pin(pi, name).drive_high()
    names = [name for name in INPUTS for _ in range(2)]
    assert edges == [Edge(name, n % 2 == 0, 100 * (n + 1)) for n, name in enumerate(names)]
    assert not any(panel.read_levels().values()) and panel.take_faults() == []


def test_inputs_are_pulled_up(pi: Pi) -> None:
    panel = Panel(pi, lambda _: None, Clock())
    assert {pin(pi, name).pull for name in INPUTS} == {"up"}
    panel.close()


def test_f37_repeated_directions_are_passed_on(pi: Pi) -> None:
    edges: list[Edge] = []
    panel = Panel(pi, edges.append, Clock())
    line = pin(pi, "STOP")
    line.drive_low()
    line._call_when_changed()  # the kernel tells the same direction again
    assert [e.active for e in edges] == [True, True]
    panel.close()


def test_an_edge_keeps_the_kernel_s_time() -> None:
    pi, edges, clock = Pi(), [], Clock()
    clock.now_ns = 10**12
    panel = Panel(pi, edges.append, clock)
    stamp = pi.ticks() - 0.2  # waited 200 ms for a turn
    panel._lines["STOP"]._changed(stamp, 0)
    panel._lines["STOP"]._changed(pi.ticks() - 5000, 1)  # a stamp of another clock
    assert 0.2e9 <= 10**12 - edges[0].t_ns < 0.4e9 and edges[1].t_ns == 10**12


def test_f44_the_lamp_is_never_high_unasked(pi: Pi) -> None:
    lamp = pi.pin(JACKPOT_LAMP)
    for _ in range(3):  # start, stop, start again; the last one is not closed (killed)
        panel = Panel(pi, lambda _: None, Clock())
        assert lamp.function == "output"
        panel.close()
        panel.close()
        assert lamp.function == "input" and lamp.pull != "up"
    assert not any(lamp.driven) and not any(state.state for state in lamp.states)


def test_f44_a_lit_lamp_is_put_out_before_its_line_goes(pi: Pi) -> None:
    lamp = pi.pin(JACKPOT_LAMP)
    panel = Panel(pi, lambda _: None, Clock())
    panel.set_jackpot_lamp(True)
    assert lamp.state
    panel.close()
    assert lamp.driven[-1] is False and not lamp.state


def test_f45_presses_from_another_thread_are_handled_by_the_loop_in_order(pi: Pi) -> None:
    clock, inbox = Clock(), Queue[Edge](maxsize=1000)
    panel = Panel(pi, inbox.put_nowait, clock)
    debouncer = Debouncer(INPUTS, panel.read_level, 0)
    debouncer.poll(2000 * MS)
    keys = [name for name in INPUTS if name not in LEVELS]

    def press() -> None:
        for n in range(200):
            for level, after in (
                (pin(pi, keys[n % len(keys)]).drive_low, 0),
                (pin(pi, keys[n % len(keys)]).drive_high, 40),
            ):
                clock.now_ns = (3000 + n * 100 + after) * MS
                level()

    thread = threading.Thread(target=press)
    thread.start()
    thread.join()
    out = [event for _ in range(inbox.qsize()) for event in debouncer.feed(inbox.get())]
    out += debouncer.poll(clock.now_ns + 10 * MS)
    assert all(isinstance(event, ButtonEdge) for event in out)
    presses = [(event.name, event.t_ns) for event in out if isinstance(event, ButtonEdge) and event.pressed]
    assert presses == [(keys[n % len(keys)], (3000 + n * 100) * MS) for n in range(200)]
    assert len(out) == 400 and panel.take_faults() == []


def test_f46_handlers_are_quick_and_keep_true_times(pi: Pi) -> None:
    clock, edges = Clock(), []
    panel = Panel(pi, edges.append, clock)
    began = time.perf_counter()
    for name, level, t in (("BET", True, 0), ("BET", False, 50), ("BACK", True, 100)):
        clock.now_ns = t * MS
        (pin(pi, name).drive_low if level else pin(pi, name).drive_high)()
    assert (time.perf_counter() - began) / 3 < 0.005
    assert edges == [Edge("BET", True, 0), Edge("BET", False, 50 * MS), Edge("BACK", True, 100 * MS)]
    panel.close()


def test_f47_nothing_is_collected(pi: Pi) -> None:
    edges: list[Edge] = []
    kept = [open_panel(lambda: Panel(pi, edges.append, Clock()), lambda _: None)]  # as hardware.py does it
    gc.collect()
    for name in INPUTS:
        pin(pi, name).drive_low()
    assert {edge.name for edge in edges} == set(INPUTS) and len(kept) == 1


def test_a_full_inbox_is_counted_as_a_fault(pi: Pi) -> None:
    inbox = Queue[Edge](maxsize=1)
    panel = Panel(pi, inbox.put_nowait, Clock())
    for _ in range(3):
        pin(pi, "STOP").drive_low()
        pin(pi, "STOP").drive_high()
    assert panel.take_faults() == [DeviceFault("panel", "edge_lost", "STOP: 5 edge(s)")]
    assert panel.take_faults() == []


def test_an_error_in_the_callback_is_counted_and_goes_no_further(pi: Pi) -> None:
    errors: list[Exception] = [KeyError("x"), Full()]

    def post(_: Edge) -> None:
        raise errors.pop(0)

    panel = Panel(pi, post, Clock())
    pin(pi, "STOP").drive_low()
    pin(pi, "STOP").drive_high()
    assert [fault.code for fault in panel.take_faults()] == ["edge_guard", "edge_lost"]


class BusyPi(Pi):
    """Lines that the last process still holds for a while."""

    busy = 3

    def pin(self, name: Any, *args: Any, **kwargs: Any) -> Any:
        if name == INPUTS["STOP"] and self.busy:
            self.busy -= 1
            raise RuntimeError("GPIO busy")
        return super().pin(name, *args, **kwargs)


def test_f43_busy_lines_are_tried_again() -> None:
    pi, waits = BusyPi(), []
    pi.busy = 12
    panel = open_panel(lambda: Panel(pi, lambda _: None, Clock()), waits.append)
    assert sum(waits) == 3.0  # three seconds, then it starts
    panel.close()


def test_f43_lines_that_stay_busy_are_named_and_nothing_stays_open() -> None:
    pi, waits = BusyPi(), []
    pi.busy = 1000
    with pytest.raises(PortError, match=r"GPIO busy, held by pid 77 \(GPIO6 \(STOP\)\)") as caught:
        open_panel(
            lambda: Panel(pi, lambda _: None, Clock()),
            waits.append,
            attempts=5,
            holder=lambda: "held by pid 77",
        )
    assert caught.value.code == "gpio_busy" and len(waits) == 4
    assert pi.pin(JACKPOT_LAMP).function == "input"


def test_f43_the_holder_of_the_chip_is_found_as_proc_tells(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chip = tmp_path / "gpiochip0"
    chip.touch()
    real = Path.glob
    monkeypatch.setattr(Path, "glob", lambda path, what: [chip] if what == "gpiochip*" else real(path, what))
    assert "the chip is open in" not in chip_holder()
    code = f"import sys; f = open({str(chip)!r}); print('open', flush=True); sys.stdin.read()"
    with Child([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"open\n"
        assert f"the chip is open in pid {other.pid} (python" in chip_holder()
        other.communicate()


def test_a_pin_taken_twice_is_refused_at_once(pi: Pi) -> None:
    panel = Panel(pi, lambda _: None, Clock())
    with pytest.raises(PortError, match="in use") as caught:
        open_panel(lambda: Panel(pi, lambda _: None, Clock()), lambda _: pytest.fail("waited"))
    assert caught.value.code == "gpio_unavailable"
    panel.close()


def test_a_pin_that_cannot_be_read(pi: Pi, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = Panel(pi, lambda _: None, Clock())

    def gone(_: object) -> bool:
        raise OSError("chip gone")

    monkeypatch.setattr(type(pin(pi, "STOP")), "_get_state", gone)
    with pytest.raises(PortError, match="chip gone"):
        panel.read_level("STOP")


def test_a_lamp_that_cannot_be_set(pi: Pi, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = Panel(pi, lambda _: None, Clock())

    def gone(*_: object) -> None:
        raise OSError("chip gone")

    monkeypatch.setattr(type(pi.pin(JACKPOT_LAMP)), "_set_state", gone)
    with pytest.raises(PortError, match="GPIO26"):
        panel.set_jackpot_lamp(True)
    panel.close()  # goes through although the lamp cannot be put out
    assert pin(pi, "STOP").when_changed is None
