"""Folds of reveal and settling."""

from __future__ import annotations

from controller.domain import events as ev
from controller.domain.evolve.folding import on, put, replace, up, with_box, with_hand
from controller.domain.state import BonusStep, BoxStatus, Choice, Declaration, FaceUp, Hit, Table, known


@on(ev.DealerRevealed)
def _dealer_revealed(table: Table, event: ev.DealerRevealed) -> Table:
    assert table.hand is not None
    return with_hand(
        table,
        dealer=up(table.hand.dealer, event.cards),
        dealer_final=event.cards,
        dealer_category=event.category,
        qualifies=event.qualifies,
    )


@on(ev.AnteTaken)
def _ante_taken(table: Table, event: ev.AnteTaken) -> Table:
    return with_box(table, event.box, choice=Choice.TAKE)


@on(ev.DealerBought)
def _dealer_bought(table: Table, event: ev.DealerBought) -> Table:
    return with_box(table, event.box, choice=Choice.BUY)


@on(ev.ChoicesClosed)
def _choices_closed(table: Table, event: ev.ChoicesClosed) -> Table:
    return with_hand(table, chosen=True)


@on(ev.TakersSettled)
def _takers_settled(table: Table, event: ev.TakersSettled) -> Table:
    return with_hand(table, takers_settled=True)


@on(ev.DealerRedrawn)
def _dealer_redrawn(table: Table, event: ev.DealerRedrawn) -> Table:
    assert table.hand is not None
    return with_hand(
        table,
        dealer_drawn=tuple(FaceUp(known(slot)) for slot in table.hand.dealer_drawn),
        dealer_final=event.cards,
        dealer_category=event.category,
        qualifies=event.qualifies,
        bought=True,
    )


@on(ev.BonusCalled)
def _bonus_called(table: Table, event: ev.BonusCalled) -> Table:
    return with_box(table, event.box, bonus_step=BonusStep.CALLED)


@on(ev.BonusShown)
def _bonus_shown(table: Table, event: ev.BonusShown) -> Table:
    assert table.hand is not None
    dealt = up(table.hand.box(event.box).dealt, event.dealt)
    return with_box(table, event.box, bonus_step=BonusStep.SHOWN, dealt=dealt)


@on(ev.BonusSettled)
def _bonus_settled(table: Table, event: ev.BonusSettled) -> Table:
    done = {} if event.line["outcome"] == "win" else {"bonus_step": BonusStep.DONE}
    return with_box(table, event.box, bonus_line=event.line, **done)


@on(ev.BonusPaid)
def _bonus_paid(table: Table, event: ev.BonusPaid) -> Table:
    return with_box(table, event.box, bonus_step=BonusStep.DONE)


@on(ev.TurnCalled)
def _turn_called(table: Table, event: ev.TurnCalled) -> Table:
    return with_box(table, event.box, called=True)


@on(ev.BoxTurned)
def _box_turned(table: Table, event: ev.BoxTurned) -> Table:
    assert table.hand is not None
    box = table.hand.box(event.box)
    return with_box(table, event.box, turned=True, dealt=up(box.dealt, event.dealt), drawn=up(box.drawn, event.drawn))


@on(ev.Discarded)
def _discarded(table: Table, event: ev.Discarded) -> Table:
    return with_box(table, event.box, discards=event.cards, checked=False, answer=None)


@on(ev.DiscardsChecked)
def _discards_checked(table: Table, event: ev.DiscardsChecked) -> Table:
    return with_box(table, event.box, checked=True)


@on(ev.CardEntered)
def _card_entered(table: Table, event: ev.CardEntered) -> Table:
    assert table.hand is not None
    slot = FaceUp(event.card, entered=True)
    if event.place in ("dealer", "dealer_draw"):
        field = "dealer" if event.place == "dealer" else "dealer_drawn"
        return with_hand(table, **{field: put(getattr(table.hand, field), event.index, slot)})
    box = table.hand.box(event.box)
    if event.place == "box":
        return with_box(table, event.box, dealt=put(box.dealt, event.index, slot))
    return with_box(table, event.box, drawn=put(box.drawn, event.index, slot))


@on(ev.ResultDeclared)
def _result_declared(table: Table, event: ev.ResultDeclared) -> Table:
    if not event.box:
        return with_hand(table, dealer_declared=event.hand)
    said = Declaration(hand=event.hand, against=event.against, second=event.second)
    return with_box(table, event.box, declared=said, answer=None)


@on(ev.BoxSettled)
def _box_settled(table: Table, event: ev.BoxSettled) -> Table:
    return with_box(table, event.box, answer=event.answer)


@on(ev.AnswerWithdrawn)
def _answer_withdrawn(table: Table, event: ev.AnswerWithdrawn) -> Table:
    return with_box(table, event.box, answer=None)


@on(ev.BoxPaid)
def _box_paid(table: Table, event: ev.BoxPaid) -> Table:
    return with_box(table, event.box, status=BoxStatus.PAID)


@on(ev.BoxHeld)
def _box_held(table: Table, event: ev.BoxHeld) -> Table:
    return with_box(table, event.box, status=BoxStatus.HELD, note=event.reason)


@on(ev.BoxReleased)
def _box_released(table: Table, event: ev.BoxReleased) -> Table:
    return with_box(table, event.box, status=BoxStatus.OPEN, disputed=True)


@on(ev.BoxVoided)
def _box_voided(table: Table, event: ev.BoxVoided) -> Table:
    return with_box(table, event.box, status=BoxStatus.VOID, note=event.reason, answer=None)


@on(ev.CardRedirected)
def _card_redirected(table: Table, event: ev.CardRedirected) -> Table:
    assert table.hand is not None
    source, target = table.hand.box(event.source), table.hand.box(event.target)
    table = with_box(table, event.target, drawn=(*target.drawn, source.drawn[-1]))
    return with_box(table, event.source, drawn=source.drawn[:-1])


@on(ev.CarriedReturned)
def _carried_returned(table: Table, event: ev.CarriedReturned) -> Table:
    return replace(table, carried=tuple(s for s in table.carried if s.box != event.box))


@on(ev.HandSettled)
def _hand_settled(table: Table, event: ev.HandSettled) -> Table:
    return with_hand(table, settled=True)


@on(ev.MeterMoved)
def _meter_moved(table: Table, event: ev.MeterMoved) -> Table:
    return replace(table, meter=event.after, reserve=event.reserve)


@on(ev.MeterCorrected)
def _meter_corrected(table: Table, event: ev.MeterCorrected) -> Table:
    return replace(table, meter=event.after, reserve=event.reserve)


@on(ev.JackpotHit)
def _jackpot_hit(table: Table, event: ev.JackpotHit) -> Table:
    assert table.hand is not None
    hit = Hit(id=event.id, box=event.box, prize=event.prize)
    return replace(with_hand(table, hits=(*table.hand.hits, hit)), hits=event.id)


@on(ev.JackpotAwarded)
def _jackpot_awarded(table: Table, event: ev.JackpotAwarded) -> Table:
    assert table.hand is not None
    hits = tuple(replace(h, awarded=True) if h.id == event.id else h for h in table.hand.hits)
    return with_hand(table, hits=hits)
