"""The audit of one hand from its records: folded again, its money computed again by both readings.

A hand is folded from its own records and the rules in force; LOCK names every stake, so no other hand is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from controller.domain import events as ev
from controller.domain.evolve import evolve
from controller.domain.hand import early_bonus, jackpot, one_player
from controller.domain.hand.expects import in_settle_order
from controller.domain.hand.request import request
from controller.domain.hand.settling import less_bonus, public_answer
from controller.domain.hand.setup import Differ, Plate, Procedure, Setup, Unsettled
from controller.domain.phases import Phase, may_return, next_phase
from controller.domain.ruleset import RuleSet
from controller.domain.state import BonusStep, Box, BoxStatus, Table
from controller.journal.hands import Finding, Hand
from controller.journal.records import Record
from controller.rulesets import load
from controller.table.setup import settle_both


def check_hand(hand: Hand) -> list[Finding]:
    """What does not hold in this hand's course or money; empty where all is well or still sealed."""
    opened = hand.opened
    if not hand.revealed or not isinstance(opened, ev.TableOpened):
        return []
    setup = setup_of(hand.table, opened)
    table = Table(open=True, boxes=opened.boxes, limits=opened.limits, rules_hash=opened.rules_hash)
    findings: list[Finding] = []
    for record, event in events_of(hand):
        findings += _check(record, event, table, setup, hand.number)
        if isinstance(event, ev.HandSettled):
            findings += _check_meter(record, event, table, hand)
        if isinstance(event, ev.HandEnded):
            break
        table = evolve(table, event)
    return findings


def events_of(hand: Hand) -> Iterator[tuple[Record, ev.Event]]:
    """The hand's own events, open."""
    for record in hand.records:
        event = record.event
        if record.type == ev.HandOpened.__name__:  # its key is wrapped for the table alone, and not needed here
            event = ev.HandOpened(hand=hand.number, key="")
        if isinstance(event, ev.Event):
            yield record, event


def setup_of(table: str, opened: ev.TableOpened) -> Setup:
    """What the table was set up to play, as the record of its opening says."""
    rules = rules_of(opened)
    base = rules.base_id or rules.id
    return Setup(
        table=table,
        rules=rules,
        boxes=opened.boxes,
        plate=msgspec.convert(opened.limits, Plate),
        procedure=msgspec.convert(opened.procedure, Procedure),
        settle=settle_both,
        settle_rules=base,
        settle_set=rules.settlement_diff(load(base)),
    )


def rules_of(opened: ev.TableOpened) -> RuleSet:
    """The rule set that the record holds whole, standing on the shipped one of its variant."""
    base = load(opened.rules_id)
    return base.with_set(opened.rules, "TableOpened.rules")


def _check(record: Record, event: ev.Event, table: Table, setup: Setup, number: int) -> list[Finding]:
    def found(what: str) -> list[Finding]:
        return [Finding(record.seq, "hand", f"record {record.seq}, hand {number}: {what}", number)]

    hand = table.hand
    match event:
        case ev.PhaseEntered() if hand is not None:
            if next_phase(hand.phase, event.trigger) != event.phase:
                return found(f"{event.trigger} does not lead from {hand.phase} to {event.phase}")
        case ev.Resumed() if hand is not None and hand.phase is Phase.IRREGULAR:
            if not may_return("resume", hand.phase, Phase(event.phase)):
                return found(f"resume does not lead to {event.phase}")
        case ev.Locked():
            lit = sum(1 for stake in event.stakes if stake["ante"] and (stake["bonus"] or stake["jackpot"]))
            if event.side_bets != lit:
                return found(f"{event.side_bets} side bets are recorded, {lit} lie on the boxes")
            if event.rules_hash not in ("", table.rules_hash):
                return found("it was locked under other rules than those of the opening before it")
        case ev.BoxSettled() if hand is not None:
            box = hand.box(event.box)
            asked = request(hand, one_player.asked_with(hand, box, setup), setup, table.limits)
            answer = _settled(asked, setup)
            told = answer and public_answer(less_bonus(answer["boxes"][0], box), turned=box.turned)
            if told != event.answer:
                return found(f"box {event.box} settles otherwise")
        case ev.BonusSettled() if hand is not None:
            bonus = _settled(early_bonus.asked(table, hand, hand.box(event.box), setup), setup)
            if bonus is None or bonus["boxes"][0]["stakes"]["bonus"] != event.line:
                return found(f"the bonus of box {event.box} settles otherwise")
        case ev.BonusPaid() if hand is not None:
            if hand.box(event.box).bonus_step is not BonusStep.SHOWN or not hand.box(event.box).bonus_line:
                return found(f"the bonus of box {event.box} is paid, and none is due")
        case ev.BoxPaid() if hand is not None:
            if hand.box(event.box).status is not BoxStatus.OPEN or hand.box(event.box).answer is None:
                return found(f"box {event.box} is paid, and nothing is due")
        case ev.HandSettled() if hand is not None:
            asked = request(hand, in_settle_order(hand, setup), setup, table.limits)
            if asked != event.request:
                return found("the recorded request is not what the cards and stakes say")
            if _settled(asked, setup) != event.answer:
                return found("the recorded answer is not what the request settles to")
            return [one for told in event.answer["boxes"] for one in _otherwise(hand.box(told["box"]), told, found)]
        case _:
            pass
    return []


def _otherwise(box: Box, told: dict[str, Any], found: Callable[[str], list[Finding]]) -> list[Finding]:
    """Chips have moved by the box's own answer, and by a bonus decided before it: the hand's must say the same."""
    if box.bonus_step is BonusStep.DONE and told["stakes"].get("bonus") != box.bonus_line:
        return found(f"the bonus of box {box.box} was decided otherwise")
    due = public_answer(less_bonus(told, box), turned=box.turned)
    if box.answer is None or _but_jackpot(due) != _but_jackpot(box.answer):
        return found(f"box {box.box} was paid otherwise")
    return []


def _but_jackpot(answer: dict[str, Any]) -> dict[str, Any]:
    """The lines by which chips moved at the box; what the meter pays stands in the hits."""
    return {name: line for name, line in answer["stakes"].items() if name != "jackpot"}


def _check_meter(record: Record, event: ev.HandSettled, table: Table, hand: Hand) -> list[Finding]:
    """The meter moves and the hits are frozen as the settlement says. Their numbers run over the whole journal."""
    assert table.hand is not None
    due = _by_box(jackpot.moved(table, table.hand, event.answer))
    if due == _by_box(record.event for record in hand.records):
        return []
    what = "the meter or the hits are not what the settlement gives"
    return [Finding(record.seq, "hand", f"record {record.seq}, hand {hand.number}: {what}", hand.number)]


def _by_box(events: Iterable[msgspec.Struct]) -> list[ev.MeterMoved | ev.JackpotHit]:
    """The meter's move, then the hits without their numbers: a recorded answer no longer tells their order."""
    told = list(events)
    hits = [msgspec.structs.replace(event, id=0) for event in told if isinstance(event, ev.JackpotHit)]
    return [e for e in told if isinstance(e, ev.MeterMoved)] + sorted(hits, key=lambda hit: hit.box)


def _settled(asked: dict[str, Any], setup: Setup) -> dict[str, Any] | None:
    try:
        return setup.settle(asked)
    except (Differ, Unsettled):
        return None
