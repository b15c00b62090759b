"""A second, independent reading of the rules: it gives the same answer as domain.settlement, or nobody is paid.

Takes a hand in the words of form A whose legality was checked, gives the contract's answer (without rules and hash).
Of the domain it may use cards, money and ruleset only.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from controller.domain.cards import JOKER, Card, parse_card
from controller.domain.money import pro_rata
from controller.domain.ruleset import Category, RuleSet
from controller.referee.hands import Hands
from controller.referee.meter import MeterWalk
from controller.referee.stakes import Situation, judge_box

__all__ = ["settle"]


def settle(rules: RuleSet, hand: Mapping[str, Any]) -> dict[str, Any]:
    """The answer's `dealer`, `boxes`, `house` and, with a meter, `jackpot`."""
    hands = _hands(rules)
    wild = JOKER if rules.variant == "joker53" else None if hand["joker"] is None else parse_card(hand["joker"])
    first = _dealer(hands, hand["dealer"]["cards"], wild, hand["dealer"].get("declared"))
    after = None
    told: dict[str, Any] = {"dealer": dict(first)}
    if "after_exchange" in hand["dealer"]:
        after = _dealer(hands, hand["dealer"]["after_exchange"], wild)
        told["dealer"]["after_exchange"] = after
    dealer, bought = _known(first, wild, hands), _known(after, wild, hands)
    situation = Situation(rules, hands, wild, dealer, bought, doc=hand["doc"])
    boxes = [_box(situation, box) for box in hand["boxes"]]
    _cap(rules, hand["boxes"], boxes)
    jackpot = _jackpot(situation, hand, boxes)
    for told_box, box in zip(boxes, hand["boxes"], strict=True):
        _sum(told_box, box)
    profits = [s["profit"] for told_box in boxes for name, s in told_box["stakes"].items() if name != "jackpot"]
    told |= {"boxes": boxes, "house": -sum(profits)}
    return told | ({"jackpot": jackpot} if jackpot is not None else {})


_CACHE: dict[int, tuple[RuleSet, Hands]] = {}


def _hands(rules: RuleSet) -> Hands:
    """The judge for a rule set; the last few are kept, with the rule set itself so that its identity stays its own."""
    kept = _CACHE.get(id(rules))
    if kept is None:
        if len(_CACHE) > 32:
            _CACHE.clear()
        kept = _CACHE[id(rules)] = (rules, Hands(rules))
    return kept[1]


@lru_cache(maxsize=512)
def _cards(text: str) -> tuple[Card, ...] | None:
    """None where a card was never read."""
    words = text.split()
    return None if "??" in words else tuple(parse_card(word) for word in words)


def _dealer(hands: Hands, text: str, wild: Card | None, said: str | None = None) -> dict[str, Any]:
    if said is not None:
        plays = hands.at_least(Category(said), hands.rules.qualify_min)
        return {"cards": text, "hand": said, "qualifies": plays, "declared": True}
    cards = _cards(text)
    if cards is None:
        return {"cards": text}
    category = hands.category(hands.best(cards, wild))
    return {"cards": text, "hand": str(category), "qualifies": hands.at_least(category, hands.rules.qualify_min)}


def _known(dealer: Mapping[str, Any] | None, wild: Card | None, hands: Hands) -> tuple[Any, bool] | None:
    """Strength and whether he plays; None where his cards were not all read."""
    if dealer is not None and dealer.get("declared"):
        return None, dealer["qualifies"]
    cards = None if dealer is None else _cards(dealer["cards"])
    return None if dealer is None or cards is None else (hands.best(cards, wild), dealer["qualifies"])


def _box(situation: Situation, box: Mapping[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {"box": box["box"], "cards": box["cards"]}
    if box["final"] is None:
        told |= {"count": box["count"], "drawn": box["drawn"]}
    else:
        told["final"] = box["final"]
        told |= {"drawn": box["drawn"]} if box["drawn"] else {}
    told |= {"declared": True} if box["declared"] else {}
    return told | judge_box(situation, box, _cards(box["cards"]), _cards(box["final"] or "??"))


def _cap(rules: RuleSet, asked: list[Mapping[str, Any]], boxes: list[dict[str, Any]]) -> None:
    """Cuts the wins, in place: what is paid first is cut last; several boxes of one player share in proportion."""
    for told in boxes:
        told["cut_by_cap"] = 0
    if rules.cap is None:
        return
    names = [name for name in ("insurance", "ante", "bet") if _under_cap(rules, name)]
    players: dict[Any, list[dict[str, Any]]] = {}
    for box, told in zip(asked, boxes, strict=True):
        whose = ("player", box["owner"]) if rules.cap_per == "player" and box["owner"] is not None else told["box"]
        players.setdefault(whose, []).append(told)
    for group in players.values():
        _cut(rules, names, sorted(group, key=lambda told: int(told["box"])))


def _under_cap(rules: RuleSet, name: str) -> bool:
    return {"bet": True, "ante": rules.cap_scope == "ante_bet", "insurance": rules.cap_includes_insurance}[name]


def _cut(rules: RuleSet, names: list[str], group: list[dict[str, Any]]) -> None:
    assert rules.cap is not None
    left = rules.cap
    if rules.cap_basis == "gross":
        for told in group:
            back = [told["stakes"][n] for n in names if n in told["stakes"]]
            left -= sum(stake["staked"] for stake in back if stake["outcome"] in ("win", "push"))
    left = max(left, 0)
    for name in names:
        wins = [max(told["stakes"].get(name, {"profit": 0})["profit"], 0) for told in group]
        if sum(wins) > left:
            for told, win, paid in zip(group, wins, pro_rata(left, wins), strict=True):
                if win:
                    told["stakes"][name]["profit"] = paid
                    told["cut_by_cap"] += win - paid
        left -= min(left, sum(wins))


def _jackpot(situation: Situation, hand: Mapping[str, Any], boxes: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Feeds the meter, pays the prizes into the stakes, tells both."""
    if hand["meter"] is None:
        return None
    rules = situation.rules.jackpot
    walk = MeterWalk(rules, hand["meter"])
    asked = hand["boxes"]
    bonus = rules.jackpot_mode == "bonus_royal"
    if rules.contribution_basis == "losses":
        lines = [stake for told in boxes for stake in told["stakes"].values()]
        walk.feed(sum(stake["staked"] for stake in lines if stake["outcome"] in ("lose", "fee")))
    else:
        walk.feed(sum(box["bonus" if bonus else "jackpot"] for box in asked))
    winners = []
    for box, told in zip(asked, boxes, strict=True):
        winners += situation.winners(box, told, _cards(box["cards"]), _cards(box["final"] or "??"))
    prizes = walk.pay(winners)
    for box, told in zip(asked, boxes, strict=True):
        prize = prizes.get(box["box"], 0)
        if bonus and box["box"] in prizes:
            told["stakes"]["bonus"] = {"staked": box["bonus"], "outcome": "win", "profit": prize}
        if box["jackpot"]:
            outcome = "win" if prize else "lose"
            told["stakes"]["jackpot"] = {"staked": box["jackpot"], "outcome": outcome, "profit": prize - box["jackpot"]}
    return {"prizes": {str(box): prize for box, prize in prizes.items()}, **walk.facts()}


def _sum(told: dict[str, Any], box: Mapping[str, Any]) -> None:
    stakes = told["stakes"]
    told["net"] = sum(stake["profit"] for stake in stakes.values())
    told["returned"] = sum(s["staked"] + s["profit"] for s in stakes.values() if s["outcome"] in ("win", "push"))
    if box["backers"]:
        common = told["net"] - sum(stakes[name]["profit"] for name in ("bonus", "jackpot") if name in stakes)
        told["shares"] = pro_rata(common, box["backers"])
