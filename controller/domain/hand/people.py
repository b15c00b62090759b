"""People at the table: signing on and off, opening and closing, the plate, calls, and acts that wait for agreement."""

from __future__ import annotations

from typing import Any

import msgspec

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand import decks, distrust, jackpot
from controller.domain.hand.authority import OVERSIGHT, Grade, Identity, missing
from controller.domain.hand.discard_tray import compared
from controller.domain.hand.setup import Entropy, Plate, Setup, Training
from controller.domain.hand.trouble import adopt_shoe
from controller.domain.phases import Phase
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import CardSource, Hand, Table, Waiting

Result = tuple[ev.Event, ...] | Rejection


def between_hands(table: Table) -> bool:
    """No bet is locked."""
    return table.hand is None or table.hand.phase in (Phase.DECK_CHECK, Phase.BETTING)


def sign_on(table: Table, cmd: cm.SignOn, people: tuple[Identity, ...]) -> Result:
    """Whoever proves who he is stands at the table, as dealer if he may deal."""
    person = next((p for p in people if cmd.operator in ("", p.operator)), None)
    if person is None:
        return reject(Why.NOT_ALLOWED, operator=cmd.operator or "nobody", role="no PIN")
    role = "dealer" if "dealer" in person.roles else "inspector"
    if role == "inspector" and "supervisor" not in person.roles:
        return reject(Why.NOT_ALLOWED, operator=person.operator, role=", ".join(sorted(person.roles)))
    if not between_hands(table):
        return reject(Why.HAND_RUNNING)
    return (ev.OperatorSignedOn(operator=person.operator, role=role),)


def key_asked(table: Table, asked: ev.Event) -> Result:
    """A device's key is changed between openings only, never under a running table."""
    return reject(Why.ALREADY_OPEN) if table.open else (asked,)


def sign_off(table: Table, cmd: cm.SignOff, people: tuple[Identity, ...]) -> Result:
    """Leaves the table, by himself or by a supervisor; between hands."""
    if not between_hands(table):
        return reject(Why.HAND_RUNNING)
    who = cmd.operator or (people[0].operator if people else "")
    role = next((r for r, o in table.signed_on.items() if o == who), None)
    if role is None:
        return reject(Why.NOT_ALLOWED, operator=who or "nobody", role="not signed on")
    if not any(p.operator == who or "supervisor" in p.roles for p in people):
        return reject(Why.NOT_ALLOWED, operator=who, role="no PIN of his or of a supervisor")
    return (ev.OperatorSignedOff(operator=who, role=role),)


def show_badge(table: Table, people: tuple[Identity, ...]) -> Result:
    """On, or off where he stands already."""
    who = people[0].operator if people else ""
    if who in table.signed_on.values():
        return sign_off(table, cm.SignOff(operator=who), people)
    return sign_on(table, cm.SignOn(operator=who), people)


def open_table(table: Table, setup: Setup, people: tuple[Identity, ...], head: str = "") -> Result:
    """Dealer and supervisor open together. Every house rule in force is recorded, and the `head` that they gave."""
    if table.open:
        return reject(Why.ALREADY_OPEN)
    dealer = next((p for p in people if "dealer" in p.roles), None)
    if dealer is None and "dealer" not in table.signed_on:
        return reject(Why.NO_DEALER)
    if table.clock_behind:
        return reject(Why.CLOCK_BEHIND, when=table.clock_behind)
    undealt = unsupported(setup)
    if undealt:
        return reject(Why.UNSUPPORTED, what=undealt)
    signed: tuple[ev.Event, ...] = (
        (ev.OperatorSignedOn(operator=dealer.operator, role="dealer"),) if dealer is not None else ()
    )
    opened = ev.TableOpened(
        rules_id=setup.settle_rules,
        house_edge=setup.edge,
        rules=msgspec.json.decode(setup.rules.canonical()),
        rules_hash=setup.rules.rules_hash(),
        procedure=_plain(setup.procedure),
        limits=_plain(setup.plate),
        boxes=setup.boxes,
        sensors=_plain(setup.sensors) if setup.sensors else {},
        doors=_plain(setup.doors),
        decks=_plain(setup.decks),
        head=head,
    )
    shoe = table.shoe
    anew = shoe.serial and (shoe.serial != shoe.owner or shoe.log_last < shoe.last_event)
    return (*signed, opened, *jackpot.opened(table, setup), *(adopt_shoe(table) if anew else ()), *decks.adopted(table))


def _plain(struct: msgspec.Struct) -> dict[str, Any]:
    """As a journal gives it back: a state must not depend on whether it was replayed."""
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(struct, order="sorted"))
    return plain


def unsupported(setup: Setup) -> str:
    """What the loaded rule set asks for that this table does not lead yet; empty where it can be dealt."""
    rules = setup.rules
    asked = {
        f"stub_policy {rules.stub_policy}": rules.stub_policy == "reshuffle_discards",
    }
    return ", ".join(name for name, wanted in asked.items() if wanted)


def training(table: Table, cmd: cm.Training, setup: Setup) -> Result:
    """To training from a closed table, and back from any state of the training's own table."""
    if setup.training is Training.NONE:
        return reject(Why.NO_TRAINING)
    if (setup.training is Training.RUNNING) == cmd.on:
        return reject(Why.TRAINING_SO)
    if not cmd.on:
        return (ev.TrainingLeft(),)
    return reject(Why.ALREADY_OPEN) if table.open else (ev.TrainingStarted(session=table.trainings + 1),)


def close_table(table: Table, hand: Hand | None) -> Result:
    """Between hands: the hand that stands open for bets ends unplayed."""
    if not table.open:
        return reject(Why.NOT_OPEN)
    if not between_hands(table):
        return reject(Why.HAND_RUNNING)
    ended: tuple[ev.Event, ...] = ()
    if hand is not None:
        ended = (ev.HandEnded(hand=hand.number, outcome="not_played", key=str(hand.key), seed=str(hand.seed)),)
    off = tuple(ev.OperatorSignedOff(operator=o, role=r) for r, o in sorted(table.signed_on.items()))
    back = tuple(
        ev.CarriedReturned(box=s.box, ante=s.ante if s.carried else 0, insurance=s.insurance) for s in table.carried
    )
    return (*compared(table), *ended, *back, ev.TableClosed(), *off)


def limits(table: Table, cmd: cm.Limits, setup: Setup) -> Result:
    """Another plate: between hands at once, or announced so many hands ahead."""
    if cmd.ahead < 0:
        return reject(Why.BAD_ARGUMENT, what=f"ahead {cmd.ahead}: nothing or more")
    if not cmd.ahead and not between_hands(table):
        return reject(Why.HAND_RUNNING)
    named = {k: v for k in ("ante_min", "ante_max", "cap", "bonus_max") if (v := getattr(cmd, k)) is not None}
    plate: dict[str, Any] = {**_plain(setup.plate), **table.limits, **named}
    if not 0 < plate["ante_min"] <= plate["ante_max"] or plate["cap"] <= 0 or plate["bonus_max"] < 0:
        return reject(Why.BAD_ARGUMENT, what="limits: 0 < ante_min <= ante_max, 0 < cap, 0 <= bonus_max")
    if plate["bonus_max"] and setup.procedure.cards is CardSource.NONE:
        return reject(Why.BAD_ARGUMENT, what="bonus_max: no bonus where cards are not followed")
    msgspec.convert(plate, Plate)
    if cmd.ahead:
        return (ev.LimitsAnnounced(limits=plate, hand=table.hands + cmd.ahead),)
    return (ev.LimitsChanged(limits=plate),)


def last_hands(table: Table, cmd: cm.LastHands) -> Result:
    """ "Last three hands": the one that stands open for bets is the first of them, one that is dealt is none."""
    if not table.open:
        return reject(Why.NOT_OPEN)
    if cmd.number < 0 or (not cmd.number and not table.announced.last_hand):
        return reject(Why.BAD_ARGUMENT, what=f"number {cmd.number}: 1 or more, 0 takes an announcement back")
    first = table.hands if between_hands(table) else table.hands + 1
    return (ev.LastHandAnnounced(hand=first + cmd.number - 1 if cmd.number else 0),)


def call(table: Table, cmd: cm.Call) -> Result:
    """CALL lamp with a reason; the same reason again changes nothing."""
    if table.call == cmd.reason:
        return ()
    return (ev.CallRaised(reason=cmd.reason),)


def lamp_test(table: Table) -> Result:
    """All lamps at once would hide a joker, and whose turn it is: between hands only."""
    return (ev.LampTestBegun(),) if between_hands(table) else reject(Why.HAND_RUNNING)


def answer_alarm(table: Table, cmd: cm.AnswerAlarm, people: tuple[Identity, ...]) -> Result:
    """A supervisor has looked into it and says what it was."""
    if all(alarm.id != cmd.alarm for alarm in table.alarms):
        return reject(Why.NO_ALARM, alarm=cmd.alarm)
    if not cmd.reason.strip():
        return reject(Why.BAD_ARGUMENT, what="reason: say what it was")
    said = ev.AlarmAnswered(id=cmd.alarm, operators=tuple(p.operator for p in people), reason=cmd.reason)
    return (said, *distrust.answered(table, cmd.alarm))


def open_hand(table: Table, entropy: Entropy) -> tuple[ev.Event, ...]:
    """The next hand, with its key, and the plate that was announced for it."""
    number, told = table.hands + 1, table.announced
    plate = (ev.LimitsChanged(limits=told.limits),) if told.from_hand and number >= told.from_hand else ()
    return (ev.HandOpened(hand=number, key=entropy.key), *plate)


# --- acts that wait --------------------------------------------------------------------------------------------------


def ask(table: Table, cmd: cm.Command, people: tuple[Identity, ...], lacking: str) -> tuple[ev.Event, ...]:
    """Puts an act on the waiting list; the same act asked again is joined, not doubled."""
    body = msgspec.to_builtins(cmd)
    names = {p.operator: tuple(sorted(p.roles)) for p in people}
    same = same_waiting(table, cmd)
    if same is not None:
        return (ev.ApprovalJoined(id=same.id, operators={**same.operators, **names}, missing=lacking),)
    return (
        ev.ApprovalAsked(
            id=table.next_waiting,
            name=str(cmd.__struct_config__.tag),
            command=body,
            operators=names,
            missing=lacking,
        ),
    )


def same_waiting(table: Table, cmd: cm.Command) -> Waiting | None:
    """The entry of an act that waits already."""
    body = msgspec.to_builtins(cmd)
    return next((w for w in table.waiting if w.command == body), None)


def together(entry: Waiting | None, people: tuple[Identity, ...]) -> tuple[Identity, ...]:
    """Those who agreed before and those who agree now, each once."""
    before = entry.operators if entry is not None else {}
    agreed = (Identity(name, frozenset(roles)) for name, roles in before.items())
    return tuple({p.operator: p for p in (*agreed, *people)}.values())


def adds_nobody(table: Table, entry: Waiting, people: tuple[Identity, ...], needed: Grade) -> Rejection | None:
    """Why those who agree now bring a waiting act no further: counted already, or not those it waits for."""
    new = [p for p in people if p.roles & OVERSIGHT and p.operator != table.signed_on.get("dealer")]
    if new and all(p.operator in entry.operators for p in new):
        return reject(Why.SAME_PERSON)
    cmd = waiting_command(entry)
    before, after = (lacking(needed, together(entry, said), table, cmd) for said in ((), people))
    if not new or (after and after == before):
        return reject(Why.NOT_ALLOWED, operator=people[0].operator, role=", ".join(sorted(people[0].roles)))
    return None


def find_waiting(table: Table, number: int) -> Waiting | None:
    """The waiting act of this number."""
    return next((w for w in table.waiting if w.id == number), None)


def waiting_command(entry: Waiting) -> cm.Command:
    """The act itself."""
    return msgspec.convert(entry.command, cm.public_commands()[entry.name])


def lacking(needed: Grade, people: tuple[Identity, ...], table: Table, cmd: cm.Command) -> str:
    """Who is still missing. Opening needs the dealer as well as the supervisor, since nobody is signed on yet."""
    dealer = table.signed_on.get("dealer")
    if isinstance(cmd, cm.OpenTable) and dealer is None:
        dealer = next((p.operator for p in people if "dealer" in p.roles), None)
    return missing(needed, people, dealer)
