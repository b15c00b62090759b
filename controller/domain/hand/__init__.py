"""The hand: decide(table, act, setup, entropy) -> events or a rejection. Pure; evolve is its other half.

An act is a command with the people who stand behind it. The events of one act, and all that follows from them by
itself, come back together and are journalled in one transaction.
"""

from __future__ import annotations

import msgspec

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.evolve import evolve, evolve_all
from controller.domain.hand import (
    betting,
    blind,
    chips,
    dealing,
    decisions,
    decks,
    declaring,
    discard_tray,
    disputes,
    doors,
    early_bonus,
    jackpot,
    misplaced,
    one_player,
    owners,
    people,
    settling,
    trouble,
)
from controller.domain.hand.advance import advance
from controller.domain.hand.authority import Grade, Identity, grade
from controller.domain.hand.expects import Want, bonus_step, expects
from controller.domain.hand.setup import Entropy, Setup
from controller.domain.hand.when import PHASES
from controller.domain.phases import Phase
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import Decision, DeclaredBy, Hand, Table

Result = tuple[ev.Event, ...] | Rejection
MAX_FOLLOWING = 200  # more would be a loop in the tables


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """A command, who stands behind it, and where it came from (keys, socket, device, timer)."""

    command: cm.Command
    people: tuple[Identity, ...] = ()
    origin: str = "socket"


def decide(table: Table, act: Act, setup: Setup, entropy: Entropy) -> Result:
    """Events of the act and everything that follows, or why it is refused. Changes nothing itself."""
    first = _authorised(table, act, setup, entropy)
    if isinstance(first, Rejection):
        return first
    events = list(first)
    table = evolve_all(table, first)
    for _ in range(MAX_FOLLOWING):
        more = advance(table, setup, entropy)
        if not more:
            return tuple(events)
        events += more
        for event in more:
            table = evolve(table, event)
    raise AssertionError(f"no end of following events in {table.phase}")


def _authorised(table: Table, act: Act, setup: Setup, entropy: Entropy) -> Result:
    cmd = act.command
    if isinstance(cm_id := getattr(cmd, "id", None), int):
        return _agree(table, cm_id, act, setup, entropy)
    needed = _grade(cmd, table, setup)
    if needed is Grade.A and act.origin != "device" and "dealer" not in table.signed_on:
        return reject(Why.NO_DEALER if table.open else Why.NOT_OPEN)
    if needed not in (Grade.S, Grade.B, Grade.C):
        return _dispatch(table, act, setup, entropy)
    pinned = trouble.pinned(table, cmd, setup)
    entry = people.same_waiting(table, pinned)
    together = people.together(entry, act.people)
    act = msgspec.structs.replace(act, people=together)
    events = _dispatch(table, act, setup, entropy)  # an act that cannot be done is refused before anyone is fetched
    lacking = people.lacking(needed, together, table, cmd)
    if isinstance(events, Rejection) and not (lacking and events.why is Why.DECK_FAULT):
        return events
    if lacking:  # a refusal that tells of a face-down card is kept until those who may hear it are there
        return people.ask(table, pinned, together, lacking)
    assert not isinstance(events, Rejection)
    names = tuple(p.operator for p in together)
    said = ev.Authorised(command=str(cmd.__struct_config__.tag), grade=str(needed), operators=names)
    closed = (ev.ApprovalClosed(id=entry.id, outcome="approved"),) if entry is not None else ()
    return (*closed, said, *events)


def _grade(cmd: cm.Command, table: Table, setup: Setup) -> Grade:
    alone = setup.procedure.declared_by is DeclaredBy.DEALER
    misdeals = table.hand is not None and misplaced.ends_the_hand(table.hand, setup)
    return grade(cmd, table, setup.favours_player, alone, misdeals)


def _agree(table: Table, number: int, act: Act, setup: Setup, entropy: Entropy) -> Result:
    entry = people.find_waiting(table, number)
    if entry is None:
        return reject(Why.NO_WAITING, id=number)
    if not act.people:
        return reject(Why.NOT_ALLOWED, operator="nobody", role="no PIN")
    if isinstance(act.command, cm.Reject):
        return (ev.ApprovalClosed(id=number, outcome="rejected"),)
    command = people.waiting_command(entry)
    wrong = people.adds_nobody(table, entry, act.people, _grade(command, table, setup))
    if wrong is not None:
        return wrong
    return _authorised(table, Act(command=command, people=act.people, origin=act.origin), setup, entropy)


def _names(act: Act) -> tuple[str, ...]:
    return tuple(person.operator for person in act.people)


def _dispatch(table: Table, act: Act, setup: Setup, entropy: Entropy) -> Result:
    cmd = act.command
    outside = _outside_a_hand(table, act, setup)
    if outside is not None:
        return outside
    hand = table.hand
    if hand is None:
        return reject(Why.NOT_OPEN) if not isinstance(cmd, cm.INTERNAL) else ()
    box = getattr(cmd, "box", None)
    if isinstance(box, int) and not (1 <= box <= len(hand.boxes) or (box == 0 and _box_optional(cmd))):
        return reject(Why.NO_SUCH_BOX, box=box, boxes=len(hand.boxes))
    result = _in_a_hand(table, hand, cmd, setup, entropy)
    return result if isinstance(result, Rejection) else one_player.withdrawn(hand, result, setup)


def _box_optional(cmd: cm.Command) -> bool:
    return isinstance(cmd, cm.Declare | cm.Exposed | cm.Repeat | cm.Release | cm.EnterCard)


def _outside_a_hand(table: Table, act: Act, setup: Setup) -> Result | None:
    """Commands that need no open hand; None for the others."""
    match act.command:
        case cm.CardIn() as cmd:
            return dealing.card_in(table, cmd, setup)
        case cm.DoubtIn() as cmd:
            return dealing.doubt_in(table, cmd, setup)
        case cm.NoteIn() as cmd:
            return doors.with_lid(dealing.note_in(table, cmd, setup), table, cmd, setup)
        case cm.DoorIn() as cmd:
            return doors.door_in(table, cmd.door, cmd.open, setup)
        case cm.DeckSaid() as cmd:
            return decks.told(table, cmd, setup)
        case cm.DeckTime() as cmd:
            return (ev.DeckAged(minutes=cmd.minutes),) if table.open else ()
        case cm.LostIn() as cmd:
            return dealing.lost_in(table, cmd)
        case cm.DeviceIn() as cmd:
            return dealing.device_in(table, cmd)
        case cm.DeviceOut() as cmd:
            return dealing.device_out(table, cmd)
        case cm.TroubleIn() as cmd:
            return dealing.trouble_in(table, cmd)
        case cm.BoardFails() as cmd:
            return dealing.board_fails(table, cmd)
        case cm.SensorsIn() as cmd:
            return chips.sensors_in(table, cmd, setup)
        case cm.LampTest():
            return people.lamp_test(table)
        case cm.LampsIn() as cmd:
            return (ev.LampsTested(ok=cmd.ok, detail=cmd.detail),)
        case cm.AnswerAlarm() as cmd:
            return people.answer_alarm(table, cmd, act.people)
        case cm.SignOn() as cmd:
            return people.sign_on(table, cmd, act.people)
        case cm.SignOff() as cmd:
            return people.sign_off(table, cmd, act.people)
        case cm.TrayIn() as cmd:
            return discard_tray.tray_in(table, cmd, setup)
        case cm.ShowBadge():
            return people.show_badge(table, act.people)
        case cm.OpenTable(head=head):
            return people.open_table(table, setup, act.people, head)
        case cm.CloseTable():
            return people.close_table(table, table.hand)
        case cm.Pair(device=device):
            return people.key_asked(table, ev.PairingAsked(device=device, operators=_names(act)))
        case cm.Unpair(device=device):
            return people.key_asked(table, ev.DeviceUnpaired(device=device, operators=_names(act)))
        case cm.PairedIn() as cmd:
            return dealing.paired_in(cmd)
        case cm.Training() as cmd:
            return people.training(table, cmd, setup)
        case cm.Limits() as cmd:
            return people.limits(table, cmd, setup) if table.open else reject(Why.NOT_OPEN)
        case cm.Call() as cmd:
            return people.call(table, cmd)
        case cm.Claim() as cmd:
            return (ev.CallRaised(reason=f"jackpot claim {cmd.hit}" if cmd.hit else "jackpot claim"),)
        case cm.Award() as cmd:
            return jackpot.award(table.hand, cmd)
        case cm.CorrectMeter() as cmd:
            return jackpot.correct(table, cmd, _names(act), setup)
        case cm.LastHands() as cmd:
            return people.last_hands(table, cmd)
        case cm.CloseDispute() as cmd:
            return disputes.close_dispute(table, cmd)
        case cm.Manual() as cmd:
            return trouble.manual(table, cmd)
        case cm.Automatic():
            return trouble.automatic(table, setup)
        case cm.Release() as cmd if cmd.box == 0:
            return (ev.CallCleared(),) if table.call else reject(Why.NOTHING_HELD)
        case _:
            return None


def _in_a_hand(table: Table, hand: Hand, cmd: cm.Command, setup: Setup, entropy: Entropy) -> Result:
    phases = PHASES.get(type(cmd))
    if phases is not None and hand.phase not in phases:
        return reject(Why.NOT_NOW, command=cmd.__struct_config__.tag, phase=hand.phase)
    match cmd:
        case cm.SetStake():
            return betting.stake(table, hand, cmd, setup)
        case cm.Owner():
            return owners.owner(hand, cmd)
        case cm.Repeat():
            return betting.repeat(table, hand, cmd, setup)
        case cm.Blind():
            return blind.blind(hand, cmd, setup)
        case cm.Backers():
            return betting.backers(hand, cmd, setup)
        case cm.Count():
            return betting.count(cmd)
        case cm.Lock():
            return betting.lock(table, hand, setup, entropy)
        case cm.Start():
            return betting.start(table, hand, setup, entropy)
        case cm.Stop():
            return betting.stop(table, hand, setup)
        case cm.Fold() | cm.Bet() | cm.Exchange() | cm.Buy6() | cm.Insure() | cm.FixDraw():
            return _decided(table, hand, cmd, setup)
        case cm.Declare():
            return declaring.declare(table, hand, cmd, setup)
        case cm.Dealt():
            return dealing.dealt(table, hand, setup)
        case cm.Reveal():
            return settling.reveal(table, hand, setup)
        case cm.TakeAnte() | cm.BuyDealer():
            return settling.choose(hand, cmd, setup)
        case cm.Turned() | cm.Paid() if hand.phase is Phase.DECISIONS:
            return early_bonus.step(table, hand, cmd, setup)
        case cm.Turned():
            return settling.turned(hand, cmd, setup)
        case cm.NameDiscards():
            return settling.discarded(hand, cmd, setup)
        case cm.DiscardCheck():
            return settling.check(hand, cmd, setup)
        case cm.Differs():
            return settling.differs(hand, cmd)
        case cm.Paid():
            return settling.paid(hand, cmd, setup)
        case cm.Rest():
            return settling.rest(table, hand, setup)
        case cm.Hold():
            return settling.hold_box(hand, cmd)
        case cm.Release():
            return settling.release(table, hand, cmd, setup)
        case cm.Undo():
            return (ev.Undone(),) if table.undo else reject(Why.NOTHING_TO_UNDO)
        case cm.Redirect():
            return misplaced.redirect(hand, cmd, setup)
        case cm.SwapHands():
            return misplaced.swap_hands(hand, cmd)
        case cm.Reassign():
            return misplaced.reassign(hand, cmd, setup)
        case cm.Exposed():
            return misplaced.exposed(table, hand, cmd, setup)
        case cm.NextHand():
            return disputes.next_hand(table, hand, setup)
        case cm.CorrectStake():
            return trouble.correct_stake(table, hand, cmd, setup)
        case cm.EnterCard():
            return trouble.enter_card(table, hand, cmd, setup)
        case cm.VoidBox():
            return trouble.void_box(hand, cmd)
        case cm.VoidHand():
            return trouble.void_hand(table, hand, cmd)
        case cm.Irregular():
            return trouble.irregular(hand, cmd)
        case cm.Reset():
            return trouble.reset(table, hand, cmd, setup)
        case cm.Resume():
            return trouble.resume(table, hand, cmd, setup)
        case cm.Deck():
            return decks.bring(table, hand, cmd, setup)
        case cm.Announce():
            return trouble.announce(table, hand, setup)
        case cm.StubCount():
            return decks.stub_count(table, hand, cmd, setup)
        case cm.BoardShows():
            return dealing.board_shows(hand)
        case cm.TimeOut():
            return dealing.time_out(hand)
        case cm.Ok():
            return _ok(table, hand, setup, entropy)
        case _:
            return reject(Why.NOT_NOW, command=cmd.__struct_config__.tag, phase=hand.phase)


def _decided(table: Table, hand: Hand, cmd: decisions.Act, setup: Setup) -> Result:
    cap = int(table.limits["cap"])
    if hand.phase is Phase.DECISIONS and bonus_step(hand) is not None:
        return reject(Why.NOT_NOW, command=cmd.__struct_config__.tag, phase="bonus")
    if hand.phase is not Phase.REVEAL:
        return decisions.decision(hand, cmd, setup, cap)
    box = hand.box(cmd.box)  # insurance until the dealer's cards are turned (Q63)
    late = setup.rules.insurance_until == "reveal" and hand.qualifies is None and not settling.turning(hand)
    if not isinstance(cmd, cm.Insure) or not late or box.blind or box.decision is not Decision.RAISE:
        return reject(Why.NOT_NOW, command=cmd.__struct_config__.tag, phase=hand.phase)
    return decisions.insure(hand, box, cmd, setup, cap)


def _ok(table: Table, hand: Hand, setup: Setup, entropy: Entropy) -> Result:
    """The OK key: the one next step, and the turn of the next box where the press means it (floor 4)."""
    steps = _ok_steps(table, hand, setup)
    if not steps:
        return reject(Why.NOT_NOW, command="ok", phase=hand.phase)
    return _chain(table, steps, setup, entropy)


def _ok_steps(table: Table, hand: Hand, setup: Setup) -> tuple[cm.Command, ...]:
    want = expects(table, setup)
    match want.kind:
        case Want.DEAL:
            return (cm.Dealt(),)
        case Want.REVEAL:
            return (cm.Reveal(),)
        case Want.STUB:
            return (cm.StubCount(number=want.count),)
        case Want.TURN:
            return (cm.Turned(box=want.box),)
        case Want.STAKE:
            return (cm.SetStake(box=want.box),)
        case Want.PAID:
            return (cm.Paid(box=want.box),)
        case Want.REST:
            return (cm.Rest(),)
        case Want.NEXT:
            return (cm.Start(),)
        case Want.START if not setup.joker:
            return (cm.Start(),)
        case Want.DECISION if hand.box(want.box).awaits_draw:
            return (cm.FixDraw(box=want.box),)
        case _:
            return ()


def _chain(table: Table, steps: tuple[cm.Command, ...], setup: Setup, entropy: Entropy) -> Result:
    """The steps of one press, then the turn of the next box where the press means it (floor 4)."""
    events: list[ev.Event] = []
    while steps:
        hand = table.hand
        assert hand is not None
        result = _in_a_hand(table, hand, steps[0], setup, entropy)
        if isinstance(result, Rejection):
            return result
        more = advance(evolve_all(table, result), setup, entropy)
        events += (*result, *more)
        table = evolve_all(table, (*result, *more))
        steps = _same_press(table, steps[0], setup)
    return tuple(events)


def _same_press(table: Table, done: cm.Command, setup: Setup) -> tuple[cm.Command, ...]:
    """What one OK means beyond its first step: the turn of the first or next box, or the rest after the last turned."""
    hand = table.hand
    if hand is None or hand.phase not in (Phase.SETTLING, Phase.REVEAL):
        return ()
    want = expects(table, setup)
    if want.kind is Want.TURN and (isinstance(done, cm.Paid) or (isinstance(done, cm.Reveal) and hand.qualifies)):
        return (cm.Turned(box=want.box),)
    return (cm.Rest(),) if want.kind is Want.REST and isinstance(done, cm.Paid) else ()
