"""Random hands for the tests: legal play of any rule set, as form B requests with a seeded deck."""

from __future__ import annotations

import random
from typing import Any

from controller.domain.cards import card_text, deck
from controller.domain.prices import most_boxes, offered_counts
from controller.domain.ruleset import RuleSet


def random_request(rng: random.Random, rules: RuleSet, name: str, changes: dict[str, Any]) -> dict[str, Any]:
    """A legal hand: every decision that the rules offer, at random."""
    served = rng.randint(1, min(most_boxes(rules), 4))
    cards = random_deck(rng, rules, served)
    joker = rng.choice([*(c for c in cards if c != "JK"), "DOC", *cards[:10]]) if rules.variant == "jpoker" else None
    boxes = [random_box(rng, rules, number + 1, joker == "DOC") for number in range(served)]
    request: dict[str, Any] = {"rules": name, "set": changes, "deck": " ".join(cards), "boxes": boxes}
    if joker:
        request["joker"] = joker
    if any("jackpot" in box for box in boxes) or rules.jackpot.jackpot_mode == "bonus_royal":
        request["jackpot"] = {"meter": rng.choice(["25000.00", "9999.37", "12"])}
    return request


def random_deck(rng: random.Random, rules: RuleSet, served: int) -> list[str]:
    """A deck; three times in four one that deals related cards, so that high hands are not rare."""
    cards = [card_text(card) for card in deck(rules.deck_size)]
    rng.shuffle(cards)
    if rng.random() < 0.25:
        return cards
    near = rng.choice([lambda c: "cdhsK".index(c[1]), lambda c: "23456789TJQKA".find(c[0])])
    noise = {card: near(card) + rng.choice([0, 0, 0, 0.5, 1, 9]) * rng.random() for card in cards}
    groups = sorted(cards, key=lambda card: noise[card])
    cut = rng.randrange(len(groups))
    groups = groups[cut:] + groups[:cut]
    seats = [groups[6 * i : 6 * i + 6] for i in range(served + 1)]
    for seat in seats:
        rng.shuffle(seat)
    dealt = [seat[n] for n in range(5) for seat in seats]
    return dealt + [seat[5] for seat in seats] + groups[6 * (served + 1) :]


def random_box(rng: random.Random, rules: RuleSet, number: int, doc: bool) -> dict[str, Any]:
    ante = rng.choice([2, 10, 24, 50])
    box: dict[str, Any] = {"box": number, "ante": ante, "decision": "raise"}
    blind = rng.random() < 0.1
    box |= {"blind": True} if blind else random_action(rng, rules)
    forced = len(box.get("discards", [])) in rules.force_raise_after
    if not blind and not forced and rng.random() < 0.2:
        box["decision"] = "fold"
    raised = box["decision"] == "raise"
    if rules.bonus_table and rng.random() < 0.4 and (not blind or "bonus" in rules.blind_extras):
        box["bonus"] = rng.choice([1, 5])
    insured = rules.insurance and rules.insurance_max_fraction is not None and (blind or not doc)
    if insured and raised and rng.random() < 0.5 and (not blind or "insurance" in rules.blind_extras):
        box["insurance"] = ante * rng.randint(1, 30)
    if raised and not blind and rules.dealer_exchange_fee is not None and rng.random() < 0.5:
        box["buy_dealer"] = True
    if rules.tie == "carry" and rng.random() < 0.2:
        box["carried"] = True
    if rules.jackpot.jackpot_mode == "side_bet" and rng.random() < 0.5:
        box["jackpot"] = 1
    if rng.random() < 0.2:
        box["backers"] = rng.choice([[ante], [1, ante - 1], [ante // 2, ante // 2]])
    if rng.random() < 0.5:
        box["owner"] = rng.randint(1, 2)
    return box


def random_action(rng: random.Random, rules: RuleSet) -> dict[str, Any]:
    counts, sixth = offered_counts(rules), rules.sixth_card_fee is not None
    choices = ["none"] + ["exchange"] * 2 * bool(counts) + ["buy6"] * 2 * sixth
    choices += ["exchange_buy6"] if rules.max_actions > 1 and counts and sixth else []
    action = rng.choice(choices)
    if "exchange" not in action:
        return {"action": action}
    if rules.repeat_exchange:
        return {"action": action, "discards": rng.choices(range(5), k=rng.randint(1, 4))}
    return {"action": action, "discards": rng.sample(range(5), rng.choice(counts))}
