"""tabled: with hardware.py it constructs everything. Configuration, journal, control socket, loop; and their end.

Order at start: configuration, journal verified, then and only then devices and sockets. `--init` makes keys and an
empty journal, once.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import hashlib
import os
import queue
import resource
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from controller import archiving, journals, supply, training
from controller.config import Config, load_config
from controller.control import operators
from controller.control.pins import PinDesk
from controller.control.protocol import Answer, Done
from controller.control.server import ControlServer
from controller.domain import events as ev
from controller.domain.cards import card_text, deck
from controller.domain.evolve import evolve_all
from controller.domain.hand.authority import Identity
from controller.domain.state import Table
from controller.errors import TableError
from controller.hardware import Hardware, bet_sensors, inputs, open_hardware
from controller.journal.chain_watch import ChainWatch
from controller.journal.clearing import remains
from controller.journal.journal import Journal
from controller.runtime.clock import Clock
from controller.runtime.logs import Logs
from controller.runtime.logsink import LogSink
from controller.runtime.loop import Loop
from controller.runtime.notify import Notifier, Patience
from controller.runtime.outputs import REFRESH_S, SENSE_S, Outputs
from controller.runtime.pairing import PairingDesk
from controller.runtime.parts import TO_TABLE, TO_TRAINING, Parts, PinSaid, Quit
from controller.runtime.peers import Peers
from controller.runtime.recording import Recorder
from controller.runtime.shuffling import Shuffling
from controller.runtime.supply_watch import SupplyWatch
from controller.table import past
from controller.table.keypad import Keypad
from controller.table.menu import Supervised
from controller.table.service import Service
from controller.table.setup import check_same_rules, make_setup
from controller.table.watch import Watch
from drivers.gpio.debounce import MS, Debouncer, Timing

VERSION = "0.1.0"
M_MMAP_THRESHOLD = -3  # malloc.h; set by hand it stays where it is
MMAP_FROM = 1 << 20


class _Parser(argparse.ArgumentParser):
    """Usage errors are one line, too."""

    def error(self, message: str) -> NoReturn:
        print(TableError(104, message, "tabled", "see tabled --help").line(), file=sys.stderr)
        sys.exit(2)


def main(argv: Sequence[str] | None = None) -> None:
    """The command. Every failure is one line and an exit code (docs/control.md)."""
    parser = _Parser(prog="tabled", description="Leads the hands of one poker table.")
    parser.add_argument("--config", type=Path, required=True, help="table.toml")
    parser.add_argument("--init", action="store_true", help="make keys and an empty journal, then exit")
    parser.add_argument("--version", action="version", version=VERSION)
    options = parser.parse_args(argv)
    try:
        config = load_config(options.config)
        if options.init:
            print("\n".join(initialise(config)))
        else:
            serve(config, options.config)
    except TableError as error:
        print(error.line(), file=sys.stderr)
        sys.exit(error.exit_code)


def initialise(config: Config) -> list[str]:
    """Keys and an empty journal; refuses to touch what exists. Returns what people must write down and do next."""
    make_setup(config)  # a table that could not play is not begun
    path = Path(config.journal.path)
    _must_be_the_first(config)
    keys = journals.have_keys(config.keys)
    journals.begin_journal(path, table=config.table.id, keys=keys, stamp=Clock("init").stamp()).close()
    _give_to_the_daemon(path)
    return [
        f"journal {path}, keys {config.keys.signing} and {config.keys.credential}: "
        "keep a copy of both keys away from this table",
        f"public key {keys.public_hex}: write it down, `tablectl audit --key` asks for it",
        f"next: tablectl operator add ID --name NAME --role dealer --file {config.control.operators}",
        "the same with --role supervisor;",
        "then start tabled and open the table: tablectl do open_table --as DEALER --as SUPERVISOR",
        "(and --as a second person, supervisor or surveillance, where the game's odds favour the player)",
    ]


def _must_be_the_first(config: Config) -> None:
    """A table with a past goes on from it, or two people decide that it is lost."""
    there = next((path for path in journals.paths(config) if path.exists()), None)
    if there is not None:
        raise TableError(225, "a journal stands there already", str(there), "start tabled without --init")
    past = remains(journals.paths(config))
    if past:
        remedy = "bring the journal back, or `tablectl memory-clear` by two people; a new table: a new folder"
        raise TableError(256, "this table has a past", ", ".join(map(str, past)), remedy)


def _give_to_the_daemon(journal: Path) -> None:
    """What root makes in a folder of the daemon's user is that user's. The keys stay root's: systemd passes them on."""
    owner = journal.parent.stat()
    if os.geteuid() == 0:
        for made in journal.parent.glob(f"{journal.name}*"):
            os.chown(made, owner.st_uid, owner.st_gid)


def open_journal(config: Config) -> Journal:
    """The table's journal, verified. Missing: said, never silently made anew."""
    keys, paths = journals.load_keys(config.keys), journals.paths(config)
    if not any(path.exists() for path in paths):
        way_out = "`tablectl memory-clear` by two people" if remains(paths) else "`tabled --init` on a new table"
        remedy = f"restore it, or {way_out}"
        raise TableError(226, "there is no journal", config.journal.path, remedy, exit_code=3)
    return journals.open_journal(config, keys)


class Stop:
    """SIGTERM and SIGINT: the run that there is ends in order, or the next one as soon as it has begun."""

    def __init__(self) -> None:
        self._reason = ""
        self._loop: Loop | None = None

    def watch(self, loop: Loop) -> None:
        """This run is the one to be stopped from now on."""
        self._loop = loop
        if self._reason:
            loop.quit(Quit(self._reason))
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)

    def _stop(self, number: int, frame: object) -> None:
        self._reason = signal.Signals(number).name
        if self._loop is not None:
            self._loop.quit(Quit(self._reason))


def serve(config: Config, source: Path) -> None:
    """The table, and the trainings that begin at it, until told to stop."""
    _dump_nothing()
    _give_memory_back()
    stop = Stop()
    reason, table = run(config, source, stop)
    while reason == TO_TRAINING:
        try:
            trained = training.prepare(config, table.training)
            reason, _ = run(trained, source, stop, before=table)
        except TableError as error:  # no training, but a table: what was wrong is in its journal as well
            print(error.line(), file=sys.stderr)
            reason = TO_TABLE
        if reason == TO_TABLE:
            reason, table = run(config, source, stop)


def run(config: Config, source: Path, stop: Stop, *, before: Table | None = None) -> tuple[str, Table]:
    """One run, from verified journal to signed end: why it ended, and the state then.

    `before`: the table's own state where this run is a training.
    """
    setup = make_setup(config, training=before is not None)
    notifier = Notifier.from_environ()
    patience = Patience(notifier, time.monotonic_ns)
    patience.begin("verifying the journal")
    journal, replayed = archiving.taken_up(lambda: open_journal(config), config, patience, Clock("archive").stamp())
    with contextlib.ExitStack() as stack:
        stack.callback(journal.close)
        if replayed.table.open and replayed.opened is not None:
            check_same_rules(setup, replayed.opened, str(source))
        logs = stack.enter_context(_logs(config))
        _check_operators(config, logs, running=replayed.table.open)
        first = _taken_over(config, replayed.table, before)
        cards = [card_text(card) for card in deck(setup.rules.deck_size)]
        begun = evolve_all(replayed.table, first)
        hardware = stack.enter_context(open_hardware(config, begun, cards))
        clock = Clock(os.urandom(4).hex())
        table = _Assembled(config, setup, journal, replayed, logs, hardware, notifier, clock)
        started = ev.RunStarted(
            version=VERSION,
            mode=str(config.table.mode) if before is None else "training",
            hardware=hardware.names,
            config_hash=hashlib.sha256(source.read_bytes()).hexdigest(),
            off_s=past.off_s(replayed, past.seconds(clock.stamp())) if before is None else 0,
        )
        return table.run(stack, stop, started, *first)


def _taken_over(config: Config, table: Table, before: Table | None) -> tuple[ev.Event, ...]:
    """What a run has to know of the one before it, where one of the two is a training."""
    if before is not None:
        return (ev.ShoeAdopted(event_no=before.shoe.last_event),)
    return (training.ended(config, table),) if table.training else ()


def _dump_nothing() -> None:
    """A core dump would hold face-down cards. A kernel that pipes dumps passes over 0; at 1 it never dumps."""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    least = min(1, hard) if hard != resource.RLIM_INFINITY else 1
    resource.setrlimit(resource.RLIMIT_CORE, (least, least))


def _give_memory_back() -> None:
    """What a PIN's slow hash takes (16 MiB) goes back to the system: glibc, left alone, would keep it for ever."""
    with contextlib.suppress(OSError, AttributeError):  # another libc has no such knob
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, MMAP_FROM)


@contextlib.contextmanager
def _logs(config: Config) -> Iterator[Logs]:
    sink = LogSink(Path(config.log.file) if config.log.file else None)
    logs = Logs(sink, str(config.log.level))
    logs.install()
    try:
        yield logs
    finally:
        logs.close()


def _check_operators(config: Config, logs: Logs, *, running: bool) -> None:
    """A closed table does not start without its people. An open one does: the dealer can end the hand on the keys."""
    try:
        operators.load(Path(config.control.operators))
    except TableError as error:
        if not running:
            raise
        logs.get("tabled").error("no operator can prove who he is", problem=error.line())


class _Assembled:
    """The parts of one run and how they know each other."""

    def __init__(
        self,
        config: Config,
        setup: Any,
        journal: Journal,
        replayed: past.Replayed,
        logs: Logs,
        hardware: Hardware,
        notifier: Notifier,
        clock: Clock,
    ) -> None:
        self._config, self._journal, self._logs, self._hw, self._notifier = config, journal, logs, hardware, notifier
        self._log = logs.get("tabled")
        self._pins = PinDesk(Path(config.control.operators), time.monotonic_ns, refused=self._pin_refused)
        self._server = ControlServer(Path(config.control.socket), self._post, self._pins, time.monotonic_ns)
        self._outputs = Outputs(
            hardware.board,
            hardware.text,
            hardware.panel.set_jackpot_lamp,
            hardware.inbox.put,
            time.monotonic_ns,
            SENSE_S if config.sensors else REFRESH_S,
        )
        self._loop: Loop | None = None
        tongue = str(config.table.language)
        self._peers = Peers(
            hardware.peer("overlay"),
            hardware.peer("printer"),
            tongue,
            lambda: clock.stamp().t,
            lambda: (journal.seq, journal.head.hex()),
        )
        watch = Watch(replayed.statistics, config.alarms, lambda: past.seconds(clock.stamp()))
        mirror = Path(config.journal.mirror) if config.journal.mirror else None
        self._chain = ChainWatch(Path(config.journal.path), mirror)
        recorder = Recorder(journal, clock, replayed.last_s, lambda: self._chain.fault)
        self._supply = SupplyWatch(lambda: supply.read(Path("/sys")), time.monotonic_ns)
        self._service = Service(setup, replayed.table, recorder, os.urandom, self._changed, watch, machine=self._supply)

    def run(
        self, stack: contextlib.ExitStack, stop: Stop, started: ev.RunStarted, *more: ev.Event
    ) -> tuple[str, Table]:
        """Threads up, READY, the loop, and everything down again within two seconds."""
        hw = self._hw
        self._pins.start()
        stack.callback(self._pins.close)
        self._chain.start()
        stack.callback(self._chain.close)
        if supply.is_pi(Path("/proc")):
            self._supply.start()
            stack.callback(self._supply.close)
        self._server.start()
        stack.callback(self._server.close)
        loop = self._loop = Loop(self._parts(), hw.inbox)
        stop.watch(loop)  # before RunStarted: from then on a stop must be in order
        self._service.take_up(started, *more)
        self._outputs.start()
        stack.callback(self._outputs.close)
        hw.start()
        self._log.info("ready", table=self._config.table.id, hand=self._service.table.hands)
        self._notifier.ready(f"table {self._config.table.id}")
        reason = loop.run()
        if reason not in (TO_TRAINING, TO_TABLE):
            self._notifier.stopping(reason)
        self._service.end_run(reason)
        self._log.info("stopped", reason=reason, seq=self._journal.seq, head=self._journal.head.hex())
        return reason, self._service.table

    def _parts(self) -> Parts:
        hw = self._hw
        return Parts(
            service=self._service,
            lines=hw.lines,
            source=hw.source,
            pairing=PairingDesk(hw.sealed),
            shuffling=Shuffling(hw.shuffler),
            keypad=Keypad(),
            debouncer=Debouncer(
                inputs(self._config),
                hw.panel.read_level,
                time.monotonic_ns(),
                timing=Timing(stable_ns=self._config.gpio.settle_ms * MS),
            ),
            sensors=bet_sensors(self._config, self._service.table),
            peers=self._peers,
            panel_faults=hw.panel.take_faults,
            screen=self._outputs,
            server=self._server,
            notifier=self._notifier,
            log=self._log,
            housekeeping=self._logs.tick,
            recall=self._recall,
            log_trouble=lambda: self._logs.trouble,
            journal_health=self._journal_health,
            ask_pin=self._ask_pin,
            language=str(self._config.table.language),
            clock_ns=time.monotonic_ns,
        )

    def _journal_health(self) -> dict[str, object]:
        """Of the files; of a closed table also the head, which people note so that an older copy is known by it."""
        journal = self._journal
        closed = {} if self._service.table.open else {"seq": journal.seq, "head": journal.head.hex()}
        return journal.health() | closed

    def _post(self, request: Any) -> bool:
        try:
            self._hw.inbox.put_nowait(request)
        except queue.Full:
            return False
        return True

    def _changed(self) -> None:
        if self._loop is not None:
            self._loop.changed()

    def _pin_refused(self, refused: Any) -> None:
        self._log.warning("PIN refused", operator=refused.operator, locked_s=refused.locked_s)

    def _ask_pin(self, asked: Supervised, version: int) -> None:
        """The slow check runs at the PIN desk; its answer comes home through the inbox."""
        check, proof = (self._pins.check_badge, asked.badge) if asked.badge else (self._pins.check_keys, asked.pin)
        check(proof, lambda verdict: self._said(PinSaid(asked.command, version, verdict)))

    def _said(self, said: PinSaid) -> None:
        self._hw.inbox.put(said)

    def _recall(self, number: int, people: tuple[Identity, ...]) -> Answer:
        refused = past.may_recall(people)
        if refused is not None:
            return refused
        answer = past.answer_recall(self._journal, number)
        if isinstance(answer, Done):
            self._service.record(ev.Recalled(hand=number, operators=tuple(p.operator for p in people)))
        return answer


if __name__ == "__main__":
    main()
