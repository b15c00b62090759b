"""A table behind the daemon's real loop, with a sealed shoe on a wire that somebody can sit on; virtual time.

Service, journal, loop, driver and seal are the daemon's; the shoe is the bench's. The man on the wire sees every frame
and may put others in its place. Nothing here knows what an attack is.
"""

from __future__ import annotations

import queue
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import D1, S1, Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand import Act
from controller.domain.hand.authority import Identity
from controller.domain.hand.expects import Want
from controller.runtime.loop import Loop
from controller.runtime.notify import Notifier, NotifySettings
from controller.runtime.outputs import Shown
from controller.runtime.pairing import PairingDesk
from controller.runtime.parts import Line, Parts
from controller.runtime.peers import Peers
from controller.runtime.shuffling import Shuffling
from controller.table.keypad import Keypad
from controller.table.service import Outcome
from drivers.events import BoardReport, PortBytes, PortClosed, PortOpened
from drivers.gpio.debounce import Debouncer
from drivers.pairing import Pairable
from drivers.shoe import Shoe
from drivers.wire.session import HostSeal
from firmware_sim.event_log import EventLog
from firmware_sim.shoe import ShoeDevice

MS = 1_000_000
STEP_MS = 10
KEY = bytes(range(32))
Frames = list[bytes]


class Wire:
    """What the daemon writes, and what becomes of frames on their way."""

    def __init__(self) -> None:
        self.written = b""
        self.for_host: Callable[[Frames], Frames] = lambda sent: sent
        self.for_device: Callable[[Frames], Frames] = lambda sent: sent
        self.seen_by_host: Frames = []

    def write(self, data: bytes) -> None:
        self.written += data

    def heal(self) -> None:
        self.for_host = self.for_device = lambda sent: sent


class Deaf:
    """A log, a server and a screen that keep nothing."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_, **__: None


class LoopRig(Rig):
    """One table. `shoe` is what is plugged in; `pass_ms` lets time go by."""

    PORT = "shoe"

    def __init__(self, folder: Path) -> None:
        self.loop: Loop | None = None
        self.now_ns = 1000 * MS
        super().__init__(folder, setup=make_setup("oasis_ru"))
        self._random = random.Random(7)
        self.wire = Wire()
        self.memory = EventLog(folder / "shoe-events")
        self.shoe = self.paired = ShoeDevice(self.memory, key=KEY, entropy=self._random.randbytes)
        seal = HostSeal(KEY, self._random.randbytes)
        source = Shoe("shoe", 0, seal=seal)
        self._line = Line(Pairable(source, seal, self._random.randbytes), self.wire)
        self.drawn: list[str] = []
        self.loop = Loop(self._parts(source), queue.Queue())

    def _parts(self, source: Shoe | None) -> Parts:
        deaf: Any = Deaf()
        return Parts(
            service=self.service,
            lines=(self._line,),
            source=source,
            pairing=PairingDesk({}),
            shuffling=Shuffling(None),
            keypad=Keypad(),
            debouncer=Debouncer({}, lambda _: False, self.now_ns),
            sensors=None,
            peers=Peers(None, None, "en", lambda: "", lambda: (0, "")),
            panel_faults=list,
            screen=deaf,
            server=deaf,
            notifier=Notifier(NotifySettings(None, 0)),
            log=deaf,
            housekeeping=lambda: None,
            log_trouble=lambda: None,
            journal_health=dict,
            recall=deaf.recall,
            ask_pin=deaf.ask_pin,
            language="en",
            clock_ns=lambda: self.now_ns,
        )

    # --- people and time ---------------------------------------------------------------------------------------------

    def changed(self) -> None:
        super().changed()
        if self.loop is not None:
            self.loop.changed()

    def act(self, command: cm.Command, *people: Identity, origin: str = "socket") -> Outcome:
        """As the loop does all of them."""
        assert self.loop is not None
        return self.loop._acted(Act(command=command, people=people, origin=origin))

    def open(self) -> LoopRig:
        self.plug(self.shoe)
        self.loop._handle(Shown(BoardReport(0, True, "", 0, self.now_ns), 0))
        self.do(cm.OpenTable(), D1, S1)
        return self

    def plug(self, shoe: ShoeDevice) -> None:
        """The plug is pulled, and this shoe's plug is put in."""
        self.loop._handle(PortClosed(self.PORT, "device gone", 1, self.now_ns))
        self.shoe, self.wire.written = shoe, b""
        self.loop._handle(PortOpened(self.PORT, self.now_ns))
        self.pass_ms(600)

    def pass_ms(self, ms: int) -> None:
        for _ in range(ms // STEP_MS):
            self._step()

    def _step(self) -> None:
        self.now_ns += STEP_MS * MS
        self.loop._timers()
        written, self.wire.written = self.wire.written, b""
        for frame in self.wire.for_device(frames(written)):
            self.shoe.receive(frame, self.now_ns)
        self.shoe.tick(self.now_ns)
        for frame in self.wire.for_host(frames(self.shoe.outgoing())):
            self.wire.seen_by_host.append(frame)
            self.to_host(frame)

    def to_host(self, data: bytes) -> None:
        """These bytes come in at the daemon's end."""
        self.loop._handle(PortBytes(self.PORT, data, self.now_ns))

    # --- cards -------------------------------------------------------------------------------------------------------

    def draw(self) -> str:
        """The next card of the paired shoe, for the place where it is expected."""
        assert self.want.kind is Want.CARD and self.shoe.deal
        card = self.truth(self.want)
        self.drawn.append(card)
        self.shoe.card(card, self.now_ns)
        return card

    def card(self, text: str | None = None, *, unread: bool = False, lay: bool = True) -> Outcome:
        self.draw()
        self.pass_ms(100)
        return Outcome()

    def on_record(self) -> list[str]:
        """Every card that the journal has of the hand, in the order of the deal."""
        return [event.card for event in self.events(ev.CardDealt)]

    def codes(self) -> list[str]:
        """What troubles of the device on the wire stand in the journal."""
        return [event.code for event in self.events(ev.DeviceTroubled) if event.device == self.PORT]


def frames(data: bytes) -> Frames:
    return [frame + b"\0" for frame in data.split(b"\0") if frame]
