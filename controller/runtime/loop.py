"""The loop thread: everything that happened comes out of one inbox, in order, and one thread changes the state.

Owns timers, debouncing and the devices' protocol state. Never waits for anything but the inbox and the journal's fsync.
"""

from __future__ import annotations

import queue
from collections.abc import Sequence
from typing import Any

import msgspec

from controller.control.protocol import ControlRequest
from controller.domain import commands as cm
from controller.domain.hand import Act
from controller.domain.hand.expects import Want
from controller.domain.phases import JokerPhase, Phase
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import Cause
from controller.runtime.act_log import log_act
from controller.runtime.closed_ports import ClosedPorts
from controller.runtime.key_switch import meant
from controller.runtime.outputs import LampsTested, Shown
from controller.runtime.parts import TO_TABLE, TO_TRAINING, Parts, PinSaid, Quit
from controller.runtime.replies import Replies
from controller.table import lamps, projection, prompts
from controller.table.keypad import Stale
from controller.table.menu import Supervised
from controller.table.service import Outcome
from drivers.events import (
    BadgeRead,
    BoardReport,
    ButtonEdge,
    ButtonFault,
    CardRead,
    DeviceEvent,
    DeviceFault,
    DeviceNote,
    DoubtfulRead,
    Edge,
    EventsLost,
    PortBytes,
    PortClosed,
    PortOpened,
)

SECOND_NS = 1_000_000_000
LONGEST_WAIT_NS = SECOND_NS // 4
REFUSAL_NS = 3 * SECOND_NS
ENDS_RUN = {"TrainingStarted": TO_TRAINING, "TrainingLeft": TO_TABLE}
NUMBERED = (CardRead, DoubtfulRead, DeviceNote, EventsLost)


class Loop:
    """One run of the daemon."""

    def __init__(self, parts: Parts, inbox: queue.Queue[Any]) -> None:
        self._p = parts
        self._inbox = inbox
        self._replies = Replies(parts, self._acted)
        self._by_port = {line.device.name: line.device for line in parts.lines}
        self._second_ns = 0
        self._log_trouble: str | None = None
        self._stop_ns: int | None = None  # when the wait for STOP began
        self._joker_shown = False  # this run's board has shown the joker of the open hand
        self._quit: Quit | None = None
        hand = parts.service.table.hand
        self._resumed = hand is not None and hand.phase not in (Phase.DECK_CHECK, Phase.BETTING)
        self._answer_to_press: Rejection | None = None  # what the last press was answered with
        self._refused_ns = 0
        self._closed_ports = ClosedPorts(parts.log)
        self._showing_later = self._to_show = False  # a device waits for its acknowledgement meanwhile

    def quit(self, why: Quit) -> None:
        """From a signal handler: only sets a mark, the inbox's lock may be held."""
        self._quit = why

    # --- the loop ----------------------------------------------------------------------------------------------------

    def run(self) -> str:
        """Until told to stop; returns why."""
        self.changed()
        while self._quit is None:
            item = self._next()
            try:
                if item is not None:
                    self._handle(item)
                self._timers()
            except Exception as error:  # noqa: BLE001 - the loop's top: an error in the program stops the table, in order
                self._failed(error)
            self._p.notifier.watchdog(self._p.clock_ns())
            self._p.server.loop_alive()
        return self._quit.reason

    def _next(self) -> Any:
        wait_ns = max(0, self._due_ns() - self._p.clock_ns())
        try:
            return self._inbox.get(timeout=min(wait_ns, LONGEST_WAIT_NS) / 1e9) if wait_ns else self._inbox.get_nowait()
        except queue.Empty:
            return None

    def _due_ns(self) -> int:
        due = [self._second_ns, self._p.debouncer.next_ns]
        ticks = [line.device.next_tick_ns for line in self._p.lines]
        due += [t for t in (*ticks, self._p.keypad.next_ns) if t is not None]
        if self._stop_ns is not None:
            due.append(self._stop_ns + self._p.service.setup.procedure.stop_timeout_s * SECOND_NS)
        return min(due)

    def _failed(self, error: Exception) -> None:
        self._p.log.exception("the loop failed", error=type(error).__name__)
        self._p.service.record_fault(Cause.PROGRAM, type(error).__name__)

    # --- what came ---------------------------------------------------------------------------------------------------

    def _handle(self, item: Any) -> None:
        match item:
            case PortOpened() | PortBytes() | PortClosed():
                self._from_port(item)
            case Edge():
                self._presses(self._p.debouncer.feed(item))
            case Shown():
                self._board(item)
            case LampsTested():
                self._sense(item.report)
                self._act(cm.LampsIn(ok=item.report.ok, detail=item.report.detail), origin="device")
            case ControlRequest():
                self._replies.reply(item)
            case DeviceFault():
                self._device(item)
            case PinSaid():
                self._pin_said(item)
            case _:
                raise TypeError(f"nobody knows what to do with {type(item).__name__}")

    def _timers(self) -> None:
        now = self._p.clock_ns()
        self._presses(self._p.debouncer.poll(now))
        table, setup = self._p.service.table, self._p.service.setup
        held = self._p.keypad.tick(now, table, setup)
        self._keys(held)
        if held or self._p.keypad.busy:
            self._show()
        for line in self._p.lines:
            due = line.device.next_tick_ns
            if due is not None and now >= due:
                self._devices(line.device.tick(now))
        self._stop_timer(now)
        if self._answer_to_press is not None and now - self._refused_ns >= REFUSAL_NS:
            self._told(None)
            self.changed()
        if now >= self._second_ns:
            self._second_ns = now + SECOND_NS
            minutes = self._p.shuffling.minutes(now, self._p.service.table, self._p.service.setup.decks)
            if minutes:
                self._act(cm.DeckTime(minutes=minutes), origin="timer")
            self._p.service.tick()
            self._p.housekeeping()
            if self._p.log_trouble() != self._log_trouble:
                self._log_trouble = self._p.log_trouble()
                self.changed()
            for fault in self._p.panel_faults():
                self._device(fault)

    def _stop_timer(self, now: int) -> None:
        service = self._p.service
        hand = service.table.hand
        waiting = service.want.kind is Want.STOP and hand is not None and not hand.stop_late
        if not waiting:
            self._stop_ns = None
        elif self._stop_ns is None:
            self._stop_ns = now
        elif now - self._stop_ns >= service.setup.procedure.stop_timeout_s * SECOND_NS:
            self._stop_ns = None
            self._act(cm.TimeOut(), origin="timer")

    # --- devices -----------------------------------------------------------------------------------------------------

    def _from_port(self, item: PortOpened | PortBytes | PortClosed) -> None:
        device = self._by_port[item.port]
        match item:
            case PortOpened():
                self._devices(device.opened(item.t_ns))
            case PortBytes():
                self._devices(device.receive(item.data, item.t_ns))
            case PortClosed():
                self._devices(device.closed(item.reason, item.t_ns))
        if self._closed_ports.heard(item):
            self.changed()

    def _devices(self, events: list[DeviceEvent]) -> None:
        for event in events:
            if isinstance(event, BadgeRead):
                self._p.ask_pin(self._p.keypad.badge(event.badge), self._p.service.table.version)
            else:
                self._device(event)
        self._serve_lines()

    def _device(self, event: DeviceEvent) -> None:
        """What a device says. Its acknowledgement goes out first, then everybody is shown."""
        self._showing_later = True
        try:
            self._take(event)
            self._serve_lines()
        finally:
            self._showing_later = False
        if self._to_show:
            self.changed()

    def _take(self, event: DeviceEvent) -> None:
        """A numbered event is acknowledged once it is on disk, a repeat of it again; a contradiction never."""
        outcome = self._act(self._p.pairing.command(event), origin="device")
        service, source = self._p.service, self._p.source
        refused = outcome.rejection is not None or service.contradicted
        if source is not None and isinstance(event, NUMBERED) and event.device == source.name and not refused:
            source.acknowledge(service.table.shoe.last_event)
        if outcome.rejection is None:
            self._p.shuffling.recorded(event, service.table)

    def _serve_lines(self) -> None:
        """Keep the deal's level, send what is to be sent."""
        if self._p.source is not None:
            self._p.source.enable_deal(self._p.service.deal_enabled)
        self._p.shuffling.serve(self._p.service.table)
        for line in self._p.lines:
            out = line.device.outgoing()
            if out:
                line.port.write(out)

    def _sense(self, report: BoardReport) -> None:
        """Each answer of the board is a sample of the bet sensors."""
        sensors = self._p.sensors
        for output in sensors.sample(report.sensors, report.t_ns) if sensors is not None else ():
            if isinstance(output, ButtonFault):
                trouble = cm.TroubleIn(device=output.name, code="sensor", detail=output.reason)
                self._act(trouble, origin="device")
            else:
                self._act(cm.SensorsIn(chips=output.chips, unknown=output.unknown), origin="device")

    def _board(self, shown: Shown) -> None:
        self._sense(shown.report)
        table = self._p.service.table
        report = shown.report
        health = str(table.devices.get("board", "absent"))
        if not report.ok:
            if health != "degraded" or (table.hand and table.hand.joker is JokerPhase.DRAWN):
                self._act(cm.BoardFails(detail=report.detail), origin="device")
            return
        if health != "ready":
            board = cm.DeviceIn(device="board", model="JOKER-BOARD", serial="", firmware="", boot_id="")
            self._act(board, origin="device")
        if table.hand is not None and shown.hand == table.hand.number:
            self._joker_shown = True
            if table.hand.joker is JokerPhase.DRAWN:
                self._act(cm.BoardShows(), origin="device")

    # --- fingers -----------------------------------------------------------------------------------------------------

    def _presses(self, outputs: list[ButtonEdge | ButtonFault]) -> None:
        for output in outputs:
            table, setup = self._p.service.table, self._p.service.setup
            if isinstance(output, ButtonFault):
                self._p.keypad.drop(output.name)
                trouble = cm.TroubleIn(device=f"key {output.name}", code="button", detail=output.reason)
                self._act(trouble, origin="device")
                if output.name == "DOOR":  # a contact that nobody can believe does not say closed
                    self._act(cm.DoorIn(door="enclosure", open=True), origin="device")
            elif output.name == "DOOR":  # low = closed
                self._act(cm.DoorIn(door="enclosure", open=not output.pressed), origin="device")
            else:
                self._keys(self._p.keypad.edge(output, table, setup))
                self._show()  # a press that changed nothing at the table may have opened or closed a menu

    def _keys(self, outputs: Sequence[cm.Command | Stale | Supervised]) -> None:
        for output in outputs:
            if isinstance(output, Supervised):
                self._p.ask_pin(output, self._p.service.table.version)
            elif isinstance(output, Stale):
                self._p.service.refuse_press(output.key)
            elif self._joker_owed():
                dark = reject(Why.JOKER_DARK)
                self._p.service.refuse(Act(command=output, origin="keys"), dark)
                self._told(dark)
            else:
                self._told(self._act(output, origin="keys").rejection)

    def _told(self, rejection: Rejection | None) -> None:
        """A refused press is answered on the display and in the snapshot, until the next press or for a few seconds."""
        self._answer_to_press = rejection
        self._refused_ns = self._p.clock_ns()
        if rejection is not None:
            self.changed()

    def _pin_said(self, said: PinSaid) -> None:
        """Somebody at the key switch has proved who he is, or not. Only for the state that he saw."""
        service = self._p.service
        act = meant(self._p, said)
        if act is None:
            self._show()
        elif isinstance(act, Rejection):
            self._told(act)
        elif said.version != service.table.version and not isinstance(said.command, cm.ShowBadge):
            service.refuse(act, reject(Why.STALE, hand=service.table.hands, version=service.table.version))
        else:
            self._told(self._acted(act).rejection)

    def _joker_owed(self) -> bool:
        """After a restart no key works before the board has shown the joker again."""
        hand = self._p.service.table.hand
        told = hand is not None and hand.announced  # by word of mouth: the board owes nothing any more
        return lamps.joker_lit(hand) and not told and not self._joker_shown

    # --- acting and showing ------------------------------------------------------------------------------------------

    def _act(self, command: cm.Command, origin: str) -> Outcome:
        return self._acted(Act(command=command, origin=origin))

    def _acted(self, act: Act) -> Outcome:
        outcome = self._p.service.act(act)
        if outcome.events and act.origin != "device":
            self._resumed = False  # somebody went on with the hand
        if "ShoeAdopted" in outcome.events and self._p.source is not None:
            self._p.source.adopt(self._p.service.table.shoe.last_event)
        if "LampTestBegun" in outcome.events:
            self._p.screen.lamp_test()
        self._p.shuffling.adopted(outcome.events, self._p.service.table)
        if outcome.events:
            log_act(self._p.log, act, outcome, self._p.service.table)
        for asked in outcome.keys:
            for event in self._p.pairing.follow(asked, self._p.clock_ns()):
                self._device(event)
            self.changed()
        for ends in ENDS_RUN.keys() & set(outcome.events):
            self._quit = self._quit or Quit(ENDS_RUN[ends])
        if not self._showing_later:  # a device's own event: its acknowledgement goes first
            self._serve_lines()
        return outcome

    def changed(self) -> None:
        """The state moved: everything that shows it is computed anew."""
        self._to_show = self._showing_later
        if self._to_show:
            return
        service = self._p.service
        hand = service.table.hand
        if not lamps.joker_lit(hand):
            self._joker_shown = False
        self._p.keypad.saw(service.want, self._p.clock_ns())
        refused = self._answer_to_press
        health = {
            "recording": not service.not_recording,
            "not_recording": service.not_recording,
            "warnings": [
                *service.setup.warnings,
                *service.warnings.values(),
                *([f"NO NEW HAND: supply or heat ({service.table.failing})"] if service.table.failing else []),
                *([self._log_trouble] if self._log_trouble else []),
            ],
            "journal": self._p.journal_health() | {"degraded": service.table.degraded},
            "joker_dark": self._joker_owed(),
            "ports": self._closed_ports.reasons,
            "pairing": self._p.pairing.public,
            "refused": {"code": refused.code, "en": refused.text("en"), "ru": refused.text("ru")} if refused else None,
        }
        shown = projection.snapshot(service.table, service.setup, health, service.statistics)
        self._p.peers.tell(shown, self._p.clock_ns())
        self._p.server.publish(msgspec.json.encode(shown), service.table.version)
        self._show()

    def _show(self) -> None:
        service = self._p.service
        hand = service.table.hand
        overlay = self._overlay()
        display = lamps.display(service.table, service.setup, self._p.language, overlay)
        self._p.screen.show(display, hand.number if hand else 0)

    def _overlay(self) -> tuple[str, ...]:
        """What stands over the prompt, the gravest first: no record, a refused press, typing, a hand taken up again."""
        service = self._p.service
        if service.not_recording:
            return prompts.wrapped(f"NOT RECORDING: {service.not_recording}")
        if self._answer_to_press is not None:
            return prompts.wrapped(f"NO: {self._answer_to_press.text(self._p.language)}")
        if self._joker_owed():
            return prompts.wrapped("JOKER NOT LIT: wait for the board, no key works")
        typed = self._p.keypad.overlay(service.table, service.setup)
        if typed or not self._resumed:
            return typed
        prompt = prompts.prompt(service.table, service.want, service.setup)
        return prompts.wrapped(f"RESUMED: {prompt.ru if self._p.language == 'ru' else prompt.en}")
