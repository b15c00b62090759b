"""What each fault does to the bench's hardware. A table in the form of two `match`: one row a fault.

Owns no state of its own; faults.py names them and says when they happen.
"""

from __future__ import annotations

import time
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from drivers.wire.messages import EventKind
from firmware_sim.errors import BenchError
from firmware_sim.faults import DECKS, LINE, SCANS, Fault
from firmware_sim.port_thief import PortThief
from firmware_sim.shoe_unit import ShoeUnit
from firmware_sim.text_unit import CardReader
from firmware_sim.wiring import DISPLAY_DEVICE

if TYPE_CHECKING:
    from firmware_sim.bench import Bench

SLOW_S = 0.2
LATE = ("START", "K1")
LATE_EDGES_S = ((0.25, False), (0.5, True), (0.8, False))  # low from the start; then in so many seconds low or not


def inject(bench: Bench, fault: Fault) -> None:
    """It happens now (a card's fault: at the next card)."""
    if fault in SCANS:
        _plain_reader(bench, fault).spoil(fault)
    elif fault in DECKS:
        bench.decks.inject(fault)
    elif fault in LINE:
        _on_the_line(bench, _proper_shoe(bench, fault), fault)
    else:
        _at_the_table(bench, fault)


def _at_the_table(bench: Bench, fault: Fault) -> None:
    match fault:
        case Fault.UNREAD_CARD:
            bench.unread_next = True
        case Fault.DUPLICATE_CARD:
            bench.world.put_on_top(Random(f"{bench.seed}/double").choice(on_the_felt(bench)))
        case Fault.EXTRA_CARD:
            bench.extra_next = True
        case Fault.UNPLUG_SHORT:
            bench.unplug_shoe(0.3)
        case Fault.UNPLUG_LONG:
            bench.unplug_shoe(3.0)
        case Fault.SHOE_RESTART:
            bench.shoe.restart()
        case Fault.OPEN_LAMP:
            bench.board.break_lamp(next(iter(bench.board.lit()), "green 1"))
        case Fault.BOARD_DEAD:
            bench.board.power(on=False)
        case Fault.BOUNCING_KEYS:
            bench.panel.bouncing = True
        case Fault.STUCK_KEY:
            bench.panel.stick("K3")
        case Fault.KEY_STORM:
            bench.panel.storm("K3")
        case Fault.LATE_PULL_UPS:
            bench.gpio.on_connect = partial(_pull_ups_come_late, bench)
        case Fault.PINS_BUSY:
            bench.gpio.busy_s = 3.0
        case Fault.SLOW_DISPLAY:
            bench.gpio.attach(DISPLAY_DEVICE, partial(_slowly, bench))
            bench.later(5.0, partial(bench.gpio.attach, DISPLAY_DEVICE, bench.display.transfer))
        case Fault.STUCK_SENSOR:
            bench.board.stick_sensor(3)
        case Fault.DOOR_OPEN:
            bench.turn("DOOR", on=True)
            bench.later(1.0, partial(bench.turn, "DOOR", on=False))
        case _:
            raise AssertionError(f"nobody knows how to make {fault}")


def _on_the_line(bench: Bench, shoe: ShoeUnit, fault: Fault) -> None:
    match fault:
        case Fault.DOUBLE_FEED:
            bench.double_next = True
        case Fault.SHOE_JAM:
            shoe.happen(EventKind.JAM)
            bench.later(3.0, shoe.open_and_close)
        case Fault.SHOE_LID:
            shoe.happen(EventKind.LID_OPEN)
            bench.later(3.0, partial(shoe.happen, EventKind.LID_CLOSED))
        case Fault.LOST_ACK:
            shoe.lose_acks(0.6)
        case Fault.DUPLICATE_FRAMES:
            shoe.twice = True
        case Fault.NOISE:
            shoe.noise = True
        case Fault.SPLIT_FRAMES:
            shoe.split = True
        case Fault.FORGED_FRAMES:
            shoe.forge()
        case Fault.REPLAYED_FRAMES:
            shoe.replay()
        case Fault.HELD_FRAMES:
            shoe.hold_back(1.5)
        case Fault.CHANGED_EVENT:
            shoe.contradict()
        case Fault.EVENTS_LOST:
            shoe.lose_next = partial(bench.later, 0.3, shoe.plug)
        case Fault.SHOE_SWAPPED:
            bench.later(3.0, shoe.swap())
        case Fault.WRONG_DEVICE:
            bench.later(3.0, shoe.swap("SHUFFLER/sim"))
        case Fault.PORTS_SWAPPED:
            _swap_ports(bench, shoe)
            bench.later(3.0, partial(_swap_ports, bench, shoe))
        case Fault.PORT_BUSY:
            shoe.unplug()
            shoe.plug(taken=True)
            bench.later(3.0, shoe.let_go)
        case Fault.FOREIGN_READER:
            bench.thief = PortThief(shoe.port.link, 3.0)
        case Fault.EARLY_FRAMES:
            shoe.speak_at_once()
        case Fault.RESTART_ON_OPEN:
            shoe.restarts_on_open = True
            bench.unplug_shoe(0.3)
        case _:
            raise AssertionError(f"nobody knows how to make {fault}")


def on_the_felt(bench: Bench) -> list[str]:
    """Cards that lie there; a BenchError where none does."""
    world = bench.world
    cards = [card for box in world.boxes.values() for card in box.dealt + box.drawn] + world.dealer
    if not cards:
        raise BenchError(711, "no card lies on the felt", f"hand {world.hand}", "deal a card first")
    return cards


def _swap_ports(bench: Bench, shoe: ShoeUnit) -> None:
    """Both plugs are pulled and put back, each where the other was; the shoe's supply comes over its plug."""
    tray = bench.tray
    shoe.unplug()
    tray.unplug()
    shoe.port.link, tray.port.link = tray.port.link, shoe.port.link
    shoe.restart()
    shoe.plug()
    tray.plug()


def _pull_ups_come_late(bench: Bench) -> None:
    """A daemon has just connected: before it sees any level these are low, and they do not rise at once."""
    for name in LATE:
        bench.panel.turn(name, on=True)
        for seconds, low in LATE_EDGES_S:
            bench.later(seconds, partial(bench.panel.turn, name, on=low))


def _slowly(bench: Bench, data: list[int]) -> list[int]:
    time.sleep(SLOW_S)
    return bench.display.transfer(data)


def _plain_reader(bench: Bench, fault: Fault) -> CardReader:
    if not isinstance(bench.shoe, CardReader):
        raise BenchError(718, f"{fault} needs a plain reader", "shoe", "run the bench with --reader")
    return bench.shoe


def _proper_shoe(bench: Bench, fault: Fault) -> ShoeUnit:
    if isinstance(bench.shoe, CardReader):
        raise BenchError(718, f"{fault} needs a shoe with the protocol", "reader", "run the bench without --reader")
    return bench.shoe
