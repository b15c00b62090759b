"""Writes the domain's settlement as the contract's answer. Adds nothing and computes nothing."""

from __future__ import annotations

from typing import Any

from controller.domain.cards import card_text
from controller.domain.jackpot import Meter
from controller.domain.money import exact_text
from controller.domain.play import Cards
from controller.domain.ruleset import RuleSet
from controller.domain.settlement import BoxResult, DealerHand, Settlement, Stake


def answer(rules_id: str, rules_hash: str, rules: RuleSet, settled: Settlement) -> dict[str, Any]:
    told: dict[str, Any] = {"rules": rules_id, "rules_hash": rules_hash, "dealer": _dealer(settled.dealer)}
    if settled.after_exchange is not None:
        told["dealer"]["after_exchange"] = _dealer(settled.after_exchange)
    told["boxes"] = [_box(result) for result in settled.boxes]
    told["house"] = settled.house
    if settled.meter is not None and settled.prizes is not None:
        prizes = {str(box): prize for box, prize in settled.prizes.items()}
        told["jackpot"] = {"prizes": prizes, **meter_facts(rules, settled.meter)}
    return told


def meter_facts(rules: RuleSet, meter: Meter) -> dict[str, str]:
    """The meter after the hand; the reserve only where the rule set has one."""
    facts = {"meter": exact_text(meter.amount, 2)}
    jackpot = rules.jackpot
    if jackpot.hidden_rate or jackpot.reserve or jackpot.limit is not None:
        facts["reserve"] = exact_text(meter.reserve, 2)
    return facts


def cards_text(cards: Cards) -> str:
    return " ".join("??" if card is None else card_text(card) for card in cards)


def _dealer(hand: DealerHand) -> dict[str, Any]:
    told: dict[str, Any] = {"cards": cards_text(hand.cards)}
    if hand.hand is not None:
        told |= {"hand": str(hand.hand), "qualifies": hand.plays}
        told |= {"declared": True} if hand.value is None else {}
    return told


def _box(result: BoxResult) -> dict[str, Any]:
    box = result.box
    told: dict[str, Any] = {"box": box.box, "cards": cards_text(box.cards)}
    if box.final is None:
        told |= {"count": box.count, "drawn": cards_text(box.drawn)}
    else:
        told["final"] = cards_text(box.final)
        if box.drawn:
            told["drawn"] = cards_text(box.drawn)
    if box.declared is not None:
        told["declared"] = True
    if result.hand is not None:
        told["hand"] = str(result.hand)
    if result.second is not None:
        told["second"] = str(result.second)
    told["stakes"] = {name: _stake(stake) for name, stake in result.stakes.items()}
    told |= {"cut_by_cap": result.cut_by_cap, "net": result.net, "returned": result.returned}
    if box.backers:
        told["shares"] = list(result.shares)
    return told


def _stake(stake: Stake) -> dict[str, Any]:
    told: dict[str, Any] = {"staked": stake.staked, "outcome": stake.outcome}
    if stake.odds is not None:
        told["odds"] = f"{stake.odds}:1"
    told["profit"] = stake.profit
    if stake.excess:
        told["excess"] = stake.excess
    return told
