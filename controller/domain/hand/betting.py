"""Stakes until LOCK: for how much a box plays, and whether the hand may be dealt at all; then START and STOP."""

from __future__ import annotations

from typing import Any

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain import joker as draw
from controller.domain import prices
from controller.domain.hand import blind, by_hand, decisions, discard_tray, owners, sensed
from controller.domain.hand.dealing import missing
from controller.domain.hand.expects import Want, expects, side_bets
from controller.domain.hand.setup import Entropy, Setup
from controller.domain.phases import JokerPhase, Phase, next_joker, next_phase, serves
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import Box, CardSource, Cause, Choice, Equipment, Hand, Stake, Table

Result = tuple[ev.Event, ...] | Rejection


def stake(table: Table, hand: Hand, cmd: cm.SetStake, setup: Setup) -> Result:
    """What lies on a box. A stake on an empty box begins with the table's minimum."""
    box = hand.box(cmd.box)
    if hand.phase is not Phase.BETTING:
        return _at_payout(table, hand, box, cmd, setup)
    ante = box.ante if cmd.ante is None else cmd.ante
    if cmd.ante is None and not ante and (cmd.bonus or cmd.jackpot):
        ante = int(table.limits["ante_min"])
    bonus = box.bonus if cmd.bonus is None else cmd.bonus
    jackpot = box.jackpot if cmd.jackpot is None else cmd.jackpot
    if box.carried and ante != box.ante:
        return reject(Why.CARRIED, box=cmd.box)
    if not box.ante:  # the box comes in: its bet sensor, where there is one, knows better than what stood there last
        told = sensed.told(table, cmd.box, setup)
        bonus, jackpot = told.get("bonus", bonus), told.get("jackpot", jackpot)
    if ante == 0:
        others = owners.changes(hand, owners.left(hand, cmd.box), joined=True)
        return (ev.StakeSet(box=cmd.box, ante=0), *others)
    wrong = stake_wrong(cmd.box, ante, bonus, jackpot, table, setup)
    shares = box.backers if ante == box.ante else ()
    return wrong or (ev.StakeSet(box=cmd.box, ante=ante, bonus=bonus, jackpot=jackpot, backers=shares),)


def _at_payout(table: Table, hand: Hand, box: Box, cmd: cm.SetStake, setup: Setup) -> Result:
    """The chips on a turned box, named as it is paid. What is not named stays as proposed."""
    want = expects(table, setup)
    if (want.kind, want.box) != (Want.STAKE, box.box):
        return reject(Why.NOT_NOW, command="stake", phase=hand.phase)
    ante = box.ante if cmd.ante is None else cmd.ante
    bonus = box.bonus if cmd.bonus is None else cmd.bonus
    if not ante or bool(bonus) != bool(box.bonus) or cmd.jackpot or (box.carried and ante != box.ante):
        return reject(Why.BAD_ARGUMENT, what=f"box {box.box}: an ante, and a bonus only where one was counted")
    wrong = stake_wrong(box.box, ante, bonus, 0, table, setup)
    if wrong is not None:
        return wrong
    fee = decisions.fee_of(box.count, box.sixth, ante, setup)
    bought = box.choice is Choice.BUY and decisions.dealer_fee_of(ante, setup) is None
    if fee is None or bought:
        return reject(Why.FEE_NOT_WHOLE, fee="the", ante=ante)
    return (ev.StakeEntered(box=box.box, ante=ante, bonus=bonus, fee=fee),)


def stake_wrong(box: int, ante: int, bonus: int, jackpot: int, table: Table, setup: Setup) -> Rejection | None:
    """Why these stakes may not lie on a box; None where they may."""
    low, high = int(table.limits["ante_min"]), int(table.limits["ante_max"])
    carried = table.hand is not None and table.hand.box(box).carried  # no new money: the plate may have changed since
    if not carried and not low <= ante <= high:
        return reject(Why.STAKE_RANGE, ante=ante, box=box, low=low, high=high)
    if jackpot and not setup.jackpot_stake:
        return reject(Why.NO_JACKPOT)
    if jackpot and jackpot != setup.jackpot_stake:
        return reject(Why.JACKPOT_STAKE, stake=setup.jackpot_stake, jackpot=jackpot, box=box)
    if bonus:
        if not setup.rules.bonus_table:
            return reject(Why.NO_BONUS)
        most = bonus_limit(ante, table, setup)
        if not 0 < bonus <= most:
            return reject(Why.BONUS_RANGE, bonus=bonus, box=box, high=most)
        if setup.bonus_royal and bonus not in (shares := setup.rules.jackpot.jackpot_share):
            return reject(Why.BONUS_SHARE, bonus=bonus, box=box, stakes=", ".join(map(str, sorted(shares))))
    return None


def bonus_limit(ante: int, table: Table, setup: Setup) -> int:
    """The plate's limit, and the rule set's part of the ante (Russian poker: half, Q44), in whole chips."""
    plate = int(table.limits["bonus_max"])
    part = setup.rules.bonus_max
    return plate if part is None else min(plate, part.numerator * ante // part.denominator)


def repeat(table: Table, hand: Hand, cmd: cm.Repeat, setup: Setup) -> Result:
    """The last hand's stakes stand again, whose they were and blind as they were; one act, however many boxes.

    A side bet that a sensor watches lies there or not, whatever it was.
    """
    stakes = [s for s in table.stakes if cmd.box in (0, s.box)]
    if not stakes:
        return reject(Why.NO_STAKE)
    found: list[ev.Event] = []
    for s in stakes:
        box, again = hand.box(s.box), bool(found)
        side = {"bonus": s.bonus, "jackpot": s.jackpot, **sensed.told(table, s.box, setup)}
        bonus, jackpot = side["bonus"], side["jackpot"]
        found.append(ev.StakeSet(box=s.box, ante=s.ante, bonus=bonus, jackpot=jackpot, backers=s.backers, joined=again))
        if box.owner != s.owner and hand.box(s.owner).owner == s.owner:
            found.append(ev.OwnerSet(box=s.box, owner=s.owner, joined=True))
        if box.blind != s.blind and not (box.carried or box.insurance_carried):
            found.append(ev.BlindSet(box=s.box, blind=s.blind, joined=True))
    return tuple(found)


def count(cmd: cm.Count) -> Result:
    """So many side bets lie on the felt."""
    if cmd.number < 0:
        return reject(Why.BAD_ARGUMENT, what=f"count: {cmd.number} is below zero")
    return (ev.CountGiven(number=cmd.number),)


def backers(hand: Hand, cmd: cm.Backers, setup: Setup) -> Result:
    """A shared box: the shares make up its ante (Q23)."""
    box = hand.box(cmd.box)
    if not setup.rules.shared_box:
        return reject(Why.NOT_OFFERED, what="backers")
    if sum(cmd.shares) != box.ante or any(share <= 0 for share in cmd.shares):
        return reject(Why.SHARED_SUM, box=cmd.box, total=sum(cmd.shares), ante=box.ante)
    return (ev.StakeSet(box=box.box, ante=box.ante, bonus=box.bonus, jackpot=box.jackpot, backers=cmd.shares),)


def lock(table: Table, hand: Hand, setup: Setup, entropy: Entropy) -> Result:
    """No more bets: everything that the hand will need is checked here, before the first card."""
    wrong = lock_wrong(table, hand, setup)
    if wrong is not None:
        return wrong
    phase = next_phase(hand.phase, "lock")
    assert phase is not None
    counted = sensed.counted(table, hand, setup)
    if counted is None:
        return reject(Why.COUNT_BY_HAND)
    playing = [b for b in hand.boxes if b.playing]
    first = owners.first_boxes(playing)
    seed = entropy.seed if setup.joker else ""
    commitment = (
        draw.commitment(setup.table, hand.number, table.rules_hash, bytes.fromhex(seed)).hex() if setup.joker else ""
    )
    return (
        *discard_tray.compared(table),
        ev.Locked(
            stakes=tuple({**_lying(b), "owner": first[b.owner]} for b in playing),
            limits=table.limits,
            meter=table.meter if setup.jackpot else "",
            reserve=table.reserve,
            commitment=commitment,
            seed=seed,
            witness="SINGLE_PARTY" if setup.joker else "",
            side_bets=side_bets(hand),
            counted=counted,
            cards=str(table.cards),
            stake_entry=str(setup.procedure.stake_entry),
            dealer=table.signed_on.get("dealer", ""),
            rules_hash=table.rules_hash,
        ),
        *blind.extras(playing, setup),
        ev.PhaseEntered(phase=phase, trigger="lock"),
    )


def _lying(box: Box) -> dict[str, Any]:
    return {key: getattr(box, key) for key in Stake.__struct_fields__}


def last_is_played(table: Table, hand: Hand) -> bool:
    """The last announced hand is over: the table is to be closed."""
    return 0 < table.announced.last_hand < hand.number


def lock_wrong(table: Table, hand: Hand, setup: Setup) -> Rejection | None:
    """The first reason why LOCK is refused."""
    if table.quarantined:
        return reject(Why.DECK_OUT)
    open_doors = [door for door in table.doors if setup.doors.effect(door)]
    if open_doors:
        return reject(Why.DOOR, door=", ".join(open_doors))
    if table.degraded:
        return reject(Why.ONE_COPY, what=table.degraded)
    if table.failing:
        return reject(Why.MACHINE, what=table.failing)
    if last_is_played(table, hand):
        return reject(Why.LAST_HAND)
    boxes = [b for b in hand.boxes if b.playing]
    if not boxes and setup.procedure.equipment is not Equipment.BOARD:
        return reject(Why.NO_STAKE)
    for box in boxes:
        wrong = stake_wrong(box.box, box.ante, box.bonus, box.jackpot, table, setup) or blind.wrong(box, table, setup)
        if wrong is not None:
            return wrong
    served = prices.most_dealt(setup.rules)
    if len(boxes) > served:
        return reject(Why.DECK_SHORT, boxes=len(boxes), served=served)
    source = setup.source if table.cards is CardSource.SHOE else ""
    device = serves("lock", table.devices, joker=setup.joker, source=source)
    if device is not None:
        return reject(missing(table, device), device=device)
    return owners.owners_wrong(boxes, setup)


# --- START and STOP --------------------------------------------------------------------------------------------------


def start(table: Table, hand: Hand, setup: Setup, entropy: Entropy) -> Result:
    """START: LOCK while bets are open; later, once STOP has timed out, the dealer's own draw."""
    if hand.phase is Phase.BETTING:
        return lock(table, hand, setup, entropy)
    if hand.phase is Phase.LOCKED:
        return reject(Why.COUNT_DIFFERS, counted=hand.counted, side_bets=side_bets(hand))
    if hand.joker is JokerPhase.ARMED and hand.phase is Phase.DEALING:
        if not hand.stop_late:
            return reject(Why.WAIT_STOP, seconds=setup.procedure.stop_timeout_s)
        return _draw(table, hand, setup, "dealer")
    if hand.joker is JokerPhase.SHOWN and hand.phase is Phase.DEALING and by_hand.joker_only(hand):
        key, seed = str(hand.key), str(hand.seed)
        return (ev.HandEnded(hand=hand.number, outcome="joker_only", key=key, seed=seed),)
    return reject(Why.NOT_NOW, command="start", phase=hand.phase)


def stop(table: Table, hand: Hand, setup: Setup) -> Result:
    """STOP: one draw per hand, ever. In a joker drawn during the deal it counts from the first card that is read."""
    if hand.joker in (JokerPhase.DRAWN, JokerPhase.SHOWN):
        return reject(Why.DRAWN_ONCE)
    dealt = any(b.dealt for b in hand.boxes) or bool(hand.dealer)
    early = setup.procedure.joker_time == "during_deal" and not dealt and hand.cards is CardSource.SHOE
    if hand.joker is not JokerPhase.ARMED or hand.phase is not Phase.DEALING or early:
        return reject(Why.NOT_ARMED)
    return _draw(table, hand, setup, "player")


def _draw(table: Table, hand: Hand, setup: Setup, by: str) -> Result:
    """The seed must be the promised one; one that is not stops the table, and nothing is drawn in its place."""
    assert next_joker(hand.joker, "draw") is JokerPhase.DRAWN
    promised = draw.commitment(setup.table, hand.number, table.rules_hash, bytes.fromhex(hand.seed)).hex()
    if promised != hand.commitment:
        return (ev.FaultRaised(cause=str(Cause.SEED), detail="the commitment does not fit the seed"),)
    weights = draw.joker_weights(setup.rules.doc_weight)
    slot = draw.draw_slot(bytes.fromhex(hand.seed), None, setup.table, hand.number, 1, weights)
    return (ev.JokerDrawn(slot=draw.slot_text(slot), draw=1, by=by),)
