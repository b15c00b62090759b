"""A table in one process: the real service on a real journal, a deck that the test chooses, people, and no sleeping.

Every act is checked as it happens: no sink shows a card that lies face down, and the state has one of the known phases.
Longer than other files: it is one class, the page that every test of the table is written against.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from harness_parts import TABLE, Clock, Entropy, Recorder, make_setup, open_journal, registry, seed_for

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.cards import JOKER, card_text, deck, parse_card
from controller.domain.hand import Act, settling
from controller.domain.hand.authority import Identity
from controller.domain.hand.expects import Expect, Want
from controller.domain.hand.setup import Setup
from controller.domain.paytable import category_order
from controller.domain.phases import Phase
from controller.domain.ranking import ranking_of
from controller.domain.rejections import Rejection, Why
from controller.domain.state import FaceDown, FaceUp, Hand, Table
from controller.journal import keys as key_files
from controller.journal.journal import Journal
from controller.table import keeping, lamps, past, projection
from controller.table.service import Outcome, Service

D1 = Identity("d1", frozenset({"dealer"}))
S1 = Identity("s1", frozenset({"supervisor"}))
S2 = Identity("s2", frozenset({"supervisor"}))
E1 = Identity("e1", frozenset({"surveillance"}))
X1 = Identity("x1", frozenset({"dealer", "supervisor"}))
T9 = Identity("t9", frozenset({"technician"}))
CARD = re.compile(r"(?<![0-9A-Za-z])(?:[2-9TJQKA][cdhs])(?![0-9A-Za-z])")


class Rig:
    """One table."""

    def __init__(
        self,
        folder: Path | None = None,
        setup: Setup | None = None,
        mirror: Path | None = None,
        keep_every: int = keeping.EVERY,
        **how: Any,
    ) -> None:
        self.setup = setup or make_setup(**how)
        self.mirror = mirror
        self.clock, self.entropy = Clock(), Entropy()
        self.folder = folder
        self.journal = self._create(folder) if folder is not None else None
        self.shown: list[bytes] = []
        self.refusals: list[str] = []
        self.deck: dict[tuple[str, int, int], str] = {}
        self.event_no = 0
        self.log: dict[int, cm.CardIn] = {}
        self.taint = True
        self.strict = True
        self.keep_every = keep_every
        self._start(Table())

    def _create(self, folder: Path) -> Journal:
        keys = key_files.create(folder, Entropy())
        made = Journal.create(
            folder / "journal.db",
            table=TABLE,
            keys=keys,
            registry=registry(),
            entropy=Entropy(),
            stamp=self.clock.stamp(),
        )
        if self.mirror is None:
            return made
        made.close()
        return open_journal(folder, self.mirror)

    def _start(self, table: Table) -> None:
        before = self.recorder.events if hasattr(self, "recorder") else []
        self.recorder = Recorder(self.journal, self.clock)
        self.recorder.events = before  # over all lives of this table
        self.service = Service(self.setup, table, self.recorder, self.entropy, self.changed, keep_every=self.keep_every)
        self.service.take_up(ev.RunStarted(version="0", mode="bench", hardware={}, config_hash=""))

    # --- what is to be seen ------------------------------------------------------------------------------------------

    @property
    def table(self) -> Table:
        return self.service.table

    @property
    def hand(self) -> Hand:
        assert self.table.hand is not None
        return self.table.hand

    @property
    def want(self) -> Expect:
        return self.service.want

    @property
    def phase(self) -> Phase:
        return self.table.phase

    def snapshot(self) -> projection.Snapshot:
        return projection.snapshot(self.table, self.setup, {"not_recording": self.service.not_recording})

    def sinks(self) -> tuple[bytes, Any]:
        """Everything that leaves: the snapshot's bytes, and lamps and lines in both languages."""
        shown = [lamps.display(self.table, self.setup, language) for language in ("en", "ru")]
        return msgspec.json.encode(self.snapshot()), [msgspec.structs.astuple(display) for display in shown]

    def changed(self) -> None:
        data = msgspec.json.encode(self.snapshot())
        self.shown.append(data)
        if self.taint:
            shown = msgspec.json.decode(data)
            for name in ("jokers", "last_hand", "joker"):
                shown.pop(name)
            self.assert_clean(repr(shown))
            told = self.table.hand is not None and self.table.hand.announced  # the first line is the joker then
            lines = [lamps.display(self.table, self.setup, tongue).lines[int(told) :] for tongue in ("en", "ru")]
            self.assert_clean(repr(lines))

    def hidden(self) -> set[str]:
        """Cards that only the controller knows, and the joker before it is shown."""
        hand = self.table.hand
        if hand is None:
            return set()
        slots = [*hand.dealer, *(s for b in hand.boxes for s in (*b.dealt, *b.drawn))]
        return {slot.card for slot in slots if isinstance(slot, FaceDown)}

    def assert_clean(self, text: str) -> None:
        found = self.hidden() & set(CARD.findall(text))
        assert not found, f"{len(found)} face-down cards are shown"

    def events(self, kind: type[ev.Event] | None = None) -> list[Any]:
        return [event for _, event in self.recorder.events if kind is None or isinstance(event, kind)]

    # --- acting ------------------------------------------------------------------------------------------------------

    def act(self, command: cm.Command, *people: Identity, origin: str = "socket") -> Outcome:
        """One act; its refusal in both languages is looked at for hidden cards."""
        outcome = self.service.act(Act(command=command, people=people, origin=origin))
        if outcome.rejection is not None:
            texts = [outcome.rejection.text("en"), outcome.rejection.text("ru")]
            self.refusals += texts
            named = getattr(command, "card", getattr(command, "cards", ""))  # what the person said himself is no news
            if not named:
                self.assert_clean(" ".join(texts))
        assert isinstance(self.phase, Phase)
        return outcome

    def do(self, command: cm.Command, *people: Identity, origin: str = "socket") -> Outcome:
        """An act that must not be refused."""
        outcome = self.act(command, *people, origin=origin)
        if not self.strict:
            return outcome
        assert outcome.rejection is None, outcome.rejection
        return outcome

    def refused(self, why: Why, command: cm.Command, *people: Identity, origin: str = "socket") -> Rejection:
        """An act that must be refused for this reason, and changes nothing."""
        before = self.table
        outcome = self.act(command, *people, origin=origin)
        assert outcome.rejection is not None, f"{command} was taken: {outcome.events}"
        assert outcome.rejection.why is why, outcome.rejection
        assert self.table == before
        return outcome.rejection

    def device(self, command: cm.Command) -> Outcome:
        return self.do(command, origin="device")

    # --- verbs -------------------------------------------------------------------------------------------------------

    def connect(self, *names: str, serial: str = "SN1", log_last: int | None = None) -> None:
        for name in names or ("shoe", "board"):
            last = self.event_no if log_last is None else log_last
            self.device(cm.DeviceIn(device=name, model=name, serial=serial, firmware="1", boot_id="b", log_last=last))

    def open(self) -> Rig:
        self.connect()
        self.do(cm.OpenTable(), D1, S1)
        return self

    def stake(self, **boxes: int) -> Rig:
        """`stake(b1=10, b3=20)`."""
        for name, ante in boxes.items():
            self.do(cm.SetStake(box=int(name[1:]), ante=ante))
        return self

    def joker(self, slot: str) -> Rig:
        """The draw of the hand that is locked next."""
        self.entropy.seed = seed_for(slot, self.hand.number, self.setup.rules.doc_weight)
        return self

    def lay(self, dealer: str = "", draws: dict[int, str] | None = None, **boxes: str) -> Rig:
        """Which card comes at which place; places not named get the first cards of the deck that are named nowhere."""
        self.deck = {}
        for name, text in boxes.items():
            self.deck |= {("box", int(name[1:]), i): card for i, card in enumerate(text.split())}
        self.deck |= {("dealer", 0, i): card for i, card in enumerate(dealer.split())}
        for box, text in (draws or {}).items():
            self.deck |= {("draw", box, i): card for i, card in enumerate(text.split())}
        return self

    def truth(self, want: Expect) -> str:
        """The card that lies, or will lie, at a place."""
        place = (want.place, want.box, want.index)
        if place not in self.deck:
            used = set(self.deck.values())
            self.deck[place] = next(t for c in deck(self.setup.rules.deck_size) if (t := card_text(c)) not in used)
        return self.deck[place]

    def card(self, text: str | None = None, *, unread: bool = False, lay: bool = True) -> Outcome:
        """The next card of the shoe: the laid one, another, or one that the reader could not tell."""
        want = self.want
        if text is not None and lay and want.kind is Want.CARD:
            self.deck[want.place, want.box, want.index] = text
        known = text or (self.truth(want) if want.kind is Want.CARD else "??")
        self.event_no += 1
        sent = cm.CardIn(
            device="shoe", event_no=self.event_no, card="??" if unread else known, reason="smudge" * unread
        )
        self.log[self.event_no] = sent
        return self.device(sent)

    def again(self, event_no: int) -> Outcome:
        return self.device(self.log[event_no])

    def lock(self) -> Rig:
        self.do(cm.Start())
        return self

    def stop(self) -> Rig:
        self.do(cm.Stop(), origin="keys")
        return self

    def board_shows(self) -> Rig:
        self.do(cm.BoardShows(), origin="device")
        return self

    def ok(self) -> Rig:
        self.do(cm.Ok(), origin="keys")
        return self

    def deal(self) -> Rig:
        """All cards of the deal; STOP and board in between where the joker is drawn."""
        while self.phase is Phase.DEALING:
            self.step()
        return self

    def step(self) -> None:
        """The one thing that the table waits for, done honestly by whoever it is."""
        want = self.want
        match want.kind:
            case Want.OPEN:
                self.do(cm.OpenTable(), D1, S1)
            case Want.DECK:
                self.do(cm.Deck(deck=want.place or f"spare-{len(self.table.decks)}"), S1)
            case Want.STUB:
                self.do(cm.StubCount(number=want.count))
            case Want.SHUFFLE:
                self.shuffle(want)
            case Want.START:
                if not any(b.ante for b in self.hand.boxes):
                    self.stake(b1=10)
                self.lock()
            case Want.COUNT:
                self.do(cm.Resume(), S1)
            case Want.CARD:
                self.card()
            case Want.STOP:
                self.stop()
            case Want.BOARD:
                self.board_shows()
            case Want.STAKE:
                self.ok()
            case Want.DECLARE:
                self.do(self.declaration(), S1)
            case Want.ENTRY:
                self.do(cm.EnterCard(card=self.truth(want)), S1)
            case Want.DECISION:
                box = self.hand.box(want.box)
                self.do(cm.FixDraw(box=want.box) if box.awaits_draw and not want.count else cm.Bet(box=want.box))
            case Want.NEXT | Want.DEAL | Want.REVEAL | Want.TURN | Want.PAID | Want.REST:
                self.ok()
            case Want.DISCARDS:
                self.do(cm.NameDiscards(box=want.box, cards=self.discardable(want.box)[-1]))
            case Want.CHECK:
                self.do(cm.DiscardCheck(box=want.box), S1)
            case Want.CHOICE:
                self.do(cm.TakeAnte(box=want.box))
            case Want.AWARD:
                self.do(cm.Award(hit=want.index + 1), S1, S2)
            case Want.RELEASE:
                self.do(cm.Release(box=want.box), S1)
            case Want.SUPERVISOR:
                fault = self.phase is Phase.FAULT
                self.do(cm.Reset() if fault else cm.Resume(), S1)
            case _:
                raise AssertionError(f"nothing to do in {self.phase}: {want}")

    def discardable(self, number: int) -> list[str]:
        """Cards of a turned box that may be named as thrown away, and are not yet; drawn ones first."""
        box = self.hand.box(number)
        left = [card for card in settling.discardable(box, self.setup) if card not in (box.discards or ())]
        return sorted(left, key=lambda card: FaceUp(card) not in box.drawn)

    def declaration(self) -> cm.Declare:
        """What an honest dealer says of the hand that lies open, by the cards that were laid."""
        box = self.want.box
        if not box:
            return cm.Declare(hand=self._category([self.truth_at("dealer", 0, i) for i in range(5)]))
        mine = self._category([self.truth_at("box", box, i) for i in range(5)])
        order = [str(c) for c in category_order(self.setup.rules.flush_over_full_house)]
        rank, his = order.index(mine), order.index(str(self.hand.dealer_category))
        return cm.Declare(box=box, hand=mine, against="win" if rank > his else "lose" if rank < his else "tie")

    def truth_at(self, place: str, box: int, index: int) -> str:
        return self.truth(Expect(kind=Want.CARD, place=place, box=box, index=index))

    def _category(self, cards: list[str]) -> str:
        ranking = ranking_of(self.setup.rules)
        known = [parse_card(card) for card in cards]
        joker = JOKER if str(self.setup.rules.variant) == "joker53" else None
        return str(ranking.category(ranking.value(known, joker)))

    def machine(self, kind: str, deck: str, **numbers: Any) -> Outcome:
        """The shuffler tells of a deck."""
        number = self.table.shuffler.last_event + 1
        return self.device(cm.DeckSaid(device="shuffler", event_no=number, kind=kind, deck=deck, **numbers))

    def shuffle(self, want: Expect) -> None:
        """What the dealer or an honest shuffler does next."""
        size = self.setup.rules.deck_size
        match want.cause:
            case "absent":
                self.connect("shuffler", log_last=self.table.shuffler.last_event)
            case "put_in":
                self.machine("deck_in", want.place)
            case "wait":
                self.machine("shuffle_started", want.place)
                self.machine("shuffle_done", want.place, count=size)
            case _:
                self.machine("deck_out", want.place)

    def finish(self) -> Rig:
        """To the end of the open hand, honestly."""
        number = self.hand.number
        for _ in range(400):
            if self.table.hand is None or self.table.hand.number != number:
                return self
            self.step()
        raise AssertionError(f"no end: {self.phase} {self.want}")

    def to(self, *kinds: Want) -> Rig:
        """Plays on until the table waits for one of these."""
        for _ in range(400):
            if self.want.kind in kinds:
                return self
            self.step()
        raise AssertionError(f"never {kinds}")

    def decide(self, script: dict[int, Sequence[cm.Command]]) -> Rig:
        """Decisions by box, in order; bought cards come as laid."""
        for commands in (script[box] for box in sorted(script)):
            for command in commands:
                while self.want.kind is Want.CARD and not isinstance(command, cm.Exchange):
                    self.card()
                self.do(command)
        return self

    # --- the end of a process ----------------------------------------------------------------------------------------

    def replayed(self) -> Table:
        """What the file says now (the journal stays open)."""
        assert self.journal is not None
        return past.replay(self.journal).table

    def restart(self, *, connect: bool = True) -> Rig:
        """Killed and started anew from the file. What must be found again is compared."""
        assert self.journal is not None
        assert self.folder is not None
        before = self.table
        self.journal.close()
        self.journal = open_journal(self.folder, self.mirror)
        table = past.replay(self.journal).table
        assert table == before
        self._start(table)
        if connect:
            self.connect()
        return self

    def close(self) -> None:
        if self.journal is not None:
            self.journal.close()


PLAYS, PLAYS_NOT = "Kh Ks 8c 7d 2h", "Kh Js 8c 7d 2h"


def table(rules: str = "jpoker", **how: Any) -> Rig:
    """An open table."""
    return Rig(setup=make_setup(rules, **how)).open()


def locked(dealer: str = PLAYS, **how: Any) -> Rig:
    """Two boxes of J-poker in play, the joker chosen, the cards laid; nothing dealt yet."""
    rig = table(**how).stake(b1=10, b2=10).joker("2c")
    return rig.lay(dealer, b1="9c 9d 5h 6s 3c", b2="Qc Qd 5c 6c 3h", draws={1: "Jh", 2: "Jd"}).lock()
