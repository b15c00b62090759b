"""A game as data: every parameter of the rules in one frozen struct, read strictly, written canonically, hashed.

PARAMETERS is the one table of names, kinds and whether a parameter bears on the settlement or only on procedure.
Reads no files (controller.rulesets does) and settles nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import msgspec

from controller.domain.parameters import (
    Amount,
    Choice,
    Counts,
    CountTable,
    Flag,
    Hand,
    HandTable,
    Kind,
    Some,
    Whole,
    WholeOf,
    refuse,
)
from controller.domain.paytable import Category
from controller.errors import TableError

__all__ = ["JACKPOT_PARAMETERS", "PARAMETERS", "Category", "JackpotRules", "Parameter", "RuleSet"]


class JackpotRules(msgspec.Struct, frozen=True, kw_only=True):
    """The progressive jackpot, or the old one paid through the bonus."""

    rate: Fraction = Fraction(7, 10)
    seed: Fraction = Fraction(10_000)
    base: Fraction = Fraction(10_000)
    limit: Fraction | None = None
    hidden_rate: Fraction = Fraction(0)
    reserve: Fraction = Fraction(0)
    sf_share: Fraction = Fraction(1, 10)
    sf_cap: int | None = None
    fixed: Mapping[Category, int] = msgspec.field(
        default_factory=lambda: {Category.FLUSH: 50, Category.FULL_HOUSE: 100, Category.QUADS: 500}
    )
    fixed_from_meter: bool = False
    royal_policy: str = "share"
    jackpot_mode: str = "side_bet"
    jackpot_hand: str = "initial"
    jackpot_on_fold: str = "paid"
    jackpot_joker: bool = False
    jackpot_share: Mapping[int, Fraction] = {}
    contribution_basis: str = "bets"


class RuleSet(msgspec.Struct, frozen=True, kw_only=True):
    """One game with every choice made. Defaults are those of the rules' questions; files state what differs."""

    id: str
    base_id: str = ""
    title: str = ""
    fill_in: tuple[str, ...] = ()

    variant: str
    deck_size: int = 52
    qualify_min: Category = Category.ACE_KING
    ace_king: bool = True
    low_straight: str = "A2345"
    flush_over_full_house: bool = False
    exchange_fee: Mapping[int, Fraction] = {}
    force_raise_after: tuple[int, ...] = ()
    repeat_exchange: bool = False
    sixth_card_fee: Fraction | None = None
    max_actions: int = 1
    pay: Mapping[Category, int] = {}
    pay_after_exchange: Mapping[Category, int] = {}
    ante_on_win: str = "paid"
    ante_on_no_qualify: str = "paid"
    tie: str = "push"
    cap: int | None = None
    cap_scope: str = "ante_bet"
    cap_basis: str = "profit"
    cap_per: str = "box"
    cap_includes_insurance: bool = False
    bonus_table: Mapping[Category, int] = {}
    bonus_on_draw: str = "forfeit"
    bonus_on_fold: str = "lost"
    bonus_sevens: bool = False
    bonus_trips_min_rank: int | None = None
    bonus_pays: str = "to_one"
    bonus_joker: bool = True
    bonus_pay_time: str = "settlement"
    bonus_max: Fraction | None = None
    double_combination: bool = False
    straight_pair: str = "straight"
    insurance: bool = False
    insurance_min: Category = Category.TRIPS
    insurance_max_fraction: Fraction | None = Fraction(1, 2)
    insurance_on_beaten: str = "push"
    insurance_until: str = "bet"
    dealer_exchange_fee: Fraction | None = None
    dealer_exchange_card: str = "highest"
    dealer_exchange_redraw_same_rank: bool = True
    dealer_exchange_fail_ante: str = "push"
    joker_mode: str = "restricted"
    joker_idle: str = "dead"
    joker_straight_below_natural: bool = True
    joker_flush_below_natural: bool = True
    joker_flush: str = "highest_missing"
    own_rank_trips: bool = False
    natural_beats_joker: bool = False
    doc_weight: int = 3
    joker_time: str = "during_deal"
    shared_box: bool = True
    blind_extras: tuple[str, ...] = ("bonus",)
    max_boxes: int = 6
    max_open_boxes: int = 2
    equal_antes: bool = False
    draw_timing: str = "at_once"
    settle_order: str = "right_to_left"
    upcard: str = "last"
    deal_mode: str = "one_by_one"
    stub_policy: str = "fewer_boxes"
    burn_cards: int = 0
    jackpot: JackpotRules = JackpotRules()

    def with_set(self, changes: Mapping[str, object], where: str = "set") -> RuleSet:
        """These rules with some parameters changed; tables merge by key. TableError where one is not allowed."""
        values, jackpot = _read(self, changes, where)
        if jackpot:
            values["jackpot"] = msgspec.structs.replace(self.jackpot, **jackpot)
        filled = {key for key, value in (values | jackpot).items() if value not in (None, {})}
        values["fill_in"] = tuple(key for key in self.fill_in if key not in filled)
        changed: RuleSet = msgspec.structs.replace(self, **values)
        check(changed, where)
        return changed

    def with_jackpot(self, changes: Mapping[str, object], where: str = "jackpot.set") -> RuleSet:
        """As with_set, for the parameters of the jackpot alone."""
        return self.with_set({"jackpot": changes}, where.removesuffix(".jackpot"))

    def require_complete(self) -> RuleSet:
        """These rules, or TC-0405 where a template still waits for the house's numbers."""
        missing = [*self.fill_in]
        if self.jackpot.jackpot_mode == "bonus_royal" and not self.jackpot.jackpot_share:
            missing.append("jackpot_share")
        if missing:
            raise TableError(405, f"a template: {', '.join(missing)} not filled in", f"rule set {self.id}",
                             "copy the file, add the house's values, name the copy in table.toml")  # fmt: skip
        return self

    def restored(self, facts: Mapping[str, object]) -> RuleSet:
        """The rules whose facts() these are: unlike with_set, a table's missing keys are gone, not kept."""
        empty: dict[str, Any] = {name: {} for name in facts if isinstance(getattr(self, name, None), dict)}
        jackpot: dict[str, Any] = {n: {} for n in JACKPOT_PARAMETERS if isinstance(getattr(self.jackpot, n), dict)}
        bare = msgspec.structs.replace(self, **empty, jackpot=msgspec.structs.replace(self.jackpot, **jackpot))
        return bare.with_set(facts, f"rule set {self.id}")

    def facts(self) -> dict[str, Any]:
        """Every parameter as a JSON value, in the order of the table."""
        told = {name: p.kind.write(getattr(self, name)) for name, p in PARAMETERS.items()}
        told["jackpot"] = {name: p.kind.write(getattr(self.jackpot, name)) for name, p in JACKPOT_PARAMETERS.items()}
        return told

    def canonical(self) -> bytes:
        """The bytes that are hashed: every parameter, keys sorted, no blanks. Names and titles are not rules."""
        return msgspec.json.encode(self.facts(), order="sorted")

    def rules_hash(self) -> str:
        return hashlib.sha256(self.canonical()).hexdigest()

    def settlement_diff(self, base: RuleSet) -> dict[str, Any]:
        """What bears on the settlement and differs from `base`, such that base.with_set(it) settles alike."""
        return self.difference(base, settles=True)

    def difference(self, base: RuleSet, *, settles: bool = False) -> dict[str, Any]:
        """Everything (or what `settles`) that differs, in the form that base.with_set takes."""
        found = _differences(PARAMETERS, self, base, settles)
        jackpot = _differences(JACKPOT_PARAMETERS, self.jackpot, base.jackpot, settles)
        return found | ({"jackpot": jackpot} if jackpot else {})


class Parameter(NamedTuple):
    kind: Kind
    settles: bool
    """True: bears on the settlement. False: procedure only, or presentation."""
    meaning: str


_ODDS = HandTable(Whole(0, 1_000_000))


def _s(kind: Kind, meaning: str) -> Parameter:
    return Parameter(kind, True, meaning)


def _p(kind: Kind, meaning: str) -> Parameter:
    return Parameter(kind, False, meaning)


PARAMETERS: dict[str, Parameter] = {
    "variant": _s(Choice("caribbean", "oasis", "russian", "joker53", "jpoker"), "family of the game"),
    "deck_size": _s(WholeOf(36, 52, 53), "cards in the deck; 53 has the joker"),
    "qualify_min": _s(Hand(Category.ACE_KING), "lowest hand with which the dealer plays"),
    "ace_king": _s(Flag(), "ace-king is a hand of its own"),
    "low_straight": _s(Choice("A2345", "A6789", "none"), "the straight in which the ace is low"),
    "flush_over_full_house": _s(Flag(), "a flush beats a full house"),
    "exchange_fee": _s(CountTable(("1", "2", "3", "4", "5"), Amount()), "price in antes by number of cards"),
    "force_raise_after": _s(Counts(), "numbers of exchanged cards after which folding is not allowed"),
    "repeat_exchange": _s(Flag(), "one card after another may be exchanged, the n-th for n times the fee"),
    "sixth_card_fee": _s(Amount(optional=True), "price of a sixth card in antes; none = not offered"),
    "max_actions": _s(Whole(1, 2), "2: an exchange and then a sixth card for the same box"),
    "pay": _s(_ODDS, "odds of the bet, x to 1"),
    "pay_after_exchange": _s(_ODDS, "odds that replace those of `pay` after an exchange"),
    "ante_on_win": _s(Choice("paid", "push", "lost"), "the ante when the box beats the dealer"),
    "ante_on_no_qualify": _s(Choice("paid", "push"), "the ante when the dealer does not play"),
    "tie": _s(Choice("push", "carry"), "ante and bet on a tie; carry = they stay for the next hand"),
    "cap": _s(Whole(1, 10**12, optional=True), "maximum payout of the plate"),
    "cap_scope": _s(Choice("ante_bet", "bet"), "stakes whose wins the cap limits"),
    "cap_basis": _s(Choice("profit", "gross"), "the cap limits the win, or the win with the stakes handed back"),
    "cap_per": _s(Choice("box", "player"), "the cap holds for a box or for all boxes of one owner"),
    "cap_includes_insurance": _s(Flag(), "the win of the insurance counts under the cap"),
    "bonus_table": _s(_ODDS, "odds of the bonus; the lowest entry is the lowest hand paid"),
    "bonus_on_draw": _s(Choice("forfeit", "initial"), "the bonus after an exchange or a sixth card"),
    "bonus_on_fold": _s(Choice("lost", "initial"), "the bonus of a folded box"),
    "bonus_sevens": _s(Flag(), "two pair wins the bonus only with a pair of sevens"),
    "bonus_trips_min_rank": _s(Whole(2, 14, optional=True), "lowest rank of bonus trips (14 = ace)"),
    "bonus_pays": _s(Choice("to_one", "for_one"), "odds are profit, or include the stake"),
    "bonus_joker": _s(Flag(), "the joker works in the bonus hand as in the game"),
    "bonus_pay_time": _p(Choice("settlement", "at_deal", "with_bet"), "when the bonus is handed over"),
    "bonus_max": _p(Amount(optional=True), "largest bonus as a part of the ante, beside the plate's own maximum"),
    "double_combination": _s(Flag(), "the bet is paid on a second combination too"),
    "straight_pair": _s(Choice("straight", "pair"), "a sixth card that pairs a straight makes a second straight"),
    "insurance": _s(Flag(), "insurance against a dealer who does not play"),
    "insurance_min": _s(Hand(Category.PAIR), "lowest hand that can be insured"),
    "insurance_max_fraction": _s(Amount(optional=True), "part of the possible win that may be insured"),
    "insurance_on_beaten": _s(Choice("push", "carry", "lose"), "the insurance when the dealer beats the box"),
    "insurance_until": _p(Choice("bet", "reveal"), "insurance is taken until the bet, or until the reveal"),
    "dealer_exchange_fee": _s(Amount(optional=True), "price of a card for the dealer in antes; none = not offered"),
    "dealer_exchange_card": _s(Choice("highest", "lowest", "add"), "card replaced, or a sixth one added"),
    "dealer_exchange_redraw_same_rank": _s(Flag(), "the rank that went out is drawn again"),
    "dealer_exchange_fail_ante": _s(Choice("push", "paid"), "the ante when the dealer still does not play"),
    "joker_mode": _s(Choice("restricted", "full"), "53rd card: straights and flushes only, or any card"),
    "joker_idle": _s(Choice("dead", "ace"), "53rd card, restricted, that completes nothing"),
    "joker_straight_below_natural": _s(Flag(), "restricted joker: its straights lose to every natural one"),
    "joker_flush_below_natural": _s(Flag(), "restricted joker: its flushes lose to every natural one"),
    "joker_flush": _s(Choice("highest_missing", "two"), "card for which a joker stands in a flush"),
    "own_rank_trips": _s(Flag(), "J-poker: a pair and the joker of its own rank are trips"),
    "natural_beats_joker": _s(Flag(), "of equal hands the one without joker wins"),
    "doc_weight": _p(Whole(0, 1000), "board slots for the dealer's open card, beside 52 for the cards"),
    "joker_time": _p(Choice("before_deal", "during_deal", "after_deal"), "when the joker is drawn"),
    "shared_box": _s(Flag(), "several people may stake on one box"),
    "blind_extras": _s(Some("bonus", "buy6", "insurance"), "what a blind box may stake beside ante and bet"),
    "max_boxes": _p(Whole(1, 9), "most boxes of a table"),
    "max_open_boxes": _p(Whole(1, 9), "boxes of one player that are looked at"),
    "equal_antes": _p(Flag(), "all boxes of one player stake the same ante"),
    "draw_timing": _p(Choice("at_once", "after_all"), "a bought card comes at once, or after all decisions"),
    "settle_order": _p(Choice("right_to_left", "left_to_right"), "order of paying"),
    "upcard": _p(Choice("last", "first"), "which of the dealer's cards lies open"),
    "deal_mode": _p(Choice("one_by_one", "packets"), "cards are dealt singly, or in packets of five"),
    "stub_policy": _p(Choice("fewer_boxes", "announced_limit", "reshuffle_discards"), "when the deck is too short"),
    "burn_cards": _p(Whole(0, 10), "cards burned before the deal"),
}

JACKPOT_PARAMETERS: dict[str, Parameter] = {
    "rate": _s(Amount(at_most=1), "part of each jackpot stake (or loss) that feeds the meter"),
    "seed": _s(Amount(), "meter after a royal"),
    "base": _p(Amount(), "meter on the first day, where table.toml names none"),
    "limit": _s(Amount(optional=True), "the meter stops here; what is over goes to the reserve"),
    "hidden_rate": _s(Amount(at_most=1), "part that feeds the reserve"),
    "reserve": _s(Amount(), "reserve so far; added to the seed at the next royal"),
    "sf_share": _s(Amount(at_most=1), "part of the meter for a straight flush"),
    "sf_cap": _s(Whole(1, 10**12, optional=True), "most that a straight flush takes"),
    "fixed": _s(HandTable(Whole(0, 10**9)), "fixed prizes in chips"),
    "fixed_from_meter": _s(Flag(), "fixed prizes come out of the meter"),
    "royal_policy": _s(Choice("share", "first_takes"), "two royals in one hand"),
    "jackpot_mode": _s(Choice("side_bet", "bonus_royal"), "own stake, or the royal of the bonus"),
    "jackpot_hand": _s(Choice("initial", "final"), "the dealt five, or the hand after draws"),
    "jackpot_on_fold": _s(Choice("paid", "lost"), "the jackpot of a folded box"),
    "jackpot_joker": _s(Flag(), "the joker counts for the jackpot"),
    "jackpot_share": _s(CountTable(None, Amount(at_most=1)), "bonus_royal: part of the meter by bonus stake"),
    "contribution_basis": _s(Choice("bets", "losses"), "what feeds the meter"),
}


def _read(rules: RuleSet, changes: Mapping[str, object], where: str) -> tuple[dict[str, Any], dict[str, Any]]:
    values: dict[str, Any] = {}
    jackpot: dict[str, Any] = {}
    for key, value in changes.items():
        if key == "jackpot":
            if not isinstance(value, Mapping):
                raise refuse("not a table", f"{where}.jackpot", "the parameters of the jackpot by name")
            for name, item in value.items():
                jackpot[name] = _value(JACKPOT_PARAMETERS, name, item, rules.jackpot, f"{where}.jackpot")
        elif key in JACKPOT_PARAMETERS:
            jackpot[key] = _value(JACKPOT_PARAMETERS, key, value, rules.jackpot, where)
        else:
            values[key] = _value(PARAMETERS, key, value, rules, where)
    return values, jackpot


def _value(known: Mapping[str, Parameter], key: object, value: object, old: object, where: str) -> Any:
    if not isinstance(key, str) or key not in known:
        raise refuse(f"unknown parameter {key!r}", where, ", ".join(known), 402)
    return known[key].kind.read(value, f"{where}.{key}", getattr(old, key))


def _differences(known: Mapping[str, Parameter], ours: object, base: object, settles: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, parameter in known.items():
        mine, theirs = (parameter.kind.write(getattr(rules, name)) for rules in (ours, base))
        if (parameter.settles or not settles) and mine != theirs:
            gone = {key: None for key in theirs if key not in mine} if isinstance(theirs, dict) else {}
            changed = {k: v for k, v in mine.items() if theirs.get(k) != v} if isinstance(mine, dict) else mine
            found[name] = changed | gone if isinstance(changed, dict) else changed
    return found


def possible_hands(rules: RuleSet) -> list[Category]:
    """The categories that a hand can have and for which a bet can win."""
    out = {Category.NOTHING}
    if not rules.ace_king:
        out.add(Category.ACE_KING)
    if rules.variant != "jpoker" and not (rules.variant == "joker53" and rules.joker_mode == "full"):
        out.add(Category.FIVE_OF_A_KIND)
    return [category for category in Category if category not in out]


def check(rules: RuleSet, where: str) -> None:
    """Refuses combinations that no game can have."""
    joker = rules.variant in ("joker53", "jpoker")
    missing = [c for c in possible_hands(rules) if c not in rules.pay]
    for wrong, key, allowed in (
        ((rules.deck_size == 53) != (rules.variant == "joker53"), "deck_size", "53 in joker53 and only there"),
        (joker and rules.deck_size == 36, "deck_size", "52 in a game with a joker"),
        (rules.deck_size == 36 and rules.low_straight == "A2345", "low_straight", "A6789 or none with 36 cards"),
        (rules.deck_size != 36 and rules.low_straight == "A6789", "low_straight", "A6789 with 36 cards only"),
        (rules.variant == "caribbean" and bool(rules.exchange_fee), "exchange_fee", "none in caribbean; see oasis"),
        (rules.variant == "caribbean" and rules.sixth_card_fee is not None, "sixth_card_fee", "none in caribbean"),
        (rules.bonus_pay_time == "at_deal" and (rules.bonus_on_draw, rules.bonus_on_fold) != ("initial", "initial"),
         "bonus_pay_time", "at_deal with bonus_on_draw and bonus_on_fold = initial: nothing later takes it back"),
        (rules.bonus_pay_time != "settlement" and rules.jackpot.jackpot_mode == "bonus_royal",
         "bonus_pay_time", "settlement with jackpot_mode = bonus_royal, since royals share"),
        (rules.repeat_exchange and 1 not in rules.exchange_fee, "repeat_exchange", "true with a fee for one card"),
        (rules.repeat_exchange and rules.draw_timing == "after_all", "draw_timing", "at_once with repeat_exchange"),
        (rules.qualify_min == Category.ACE_KING and not rules.ace_king, "qualify_min", "pair where ace_king = false"),
        (rules.double_combination and joker, "double_combination", "false in a game with a joker"),
        (rules.insurance and rules.insurance_max_fraction is None and "insurance_max_fraction" not in rules.fill_in,
         "insurance_max_fraction", "a number where insurance = true"),
        (bool(missing), "pay", f"odds for {', '.join(missing)} too"),
        (rules.jackpot.jackpot_mode == "bonus_royal" and Category.ROYAL_FLUSH not in rules.bonus_table,
         "jackpot_mode", "bonus_royal only with a bonus on the royal flush"),
    ):  # fmt: skip
        if wrong:
            raise refuse("an impossible combination", f"{where}.{key}", allowed, 404)
