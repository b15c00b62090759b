"""Whether a hand was played by the rules of its game: cards, draws, stakes. Refuses, never repairs.

The plate (minimum, maximum, boxes of a player) is not judged here. Texts name places, never cards that may be hidden.
"""

from __future__ import annotations

from collections.abc import Iterable

from controller.domain.cards import JOKER, Card, card_text, deck, rank_of
from controller.domain.paytable import Category, category_order
from controller.domain.play import Action, Box, Cards, Declared, Round
from controller.domain.prices import dealer_fee, fee, offered_counts, one_by_one, sixth_card_fee
from controller.domain.ruleset import RuleSet
from controller.errors import TableError


def check_cards(rules: RuleSet, round_: Round) -> None:
    """The cards are of this deck, each once: before anything is computed from them."""
    _check_joker(rules, round_)
    _check_cards(rules, round_)


def check_round(rules: RuleSet, round_: Round, dealer_plays: bool | None) -> None:
    """TableError where something is not allowed. `dealer_plays` is None where the dealer's cards were not read."""
    for box in round_.boxes:
        check_box(rules, box, round_)
        if box.final is None and box.raised and box.declared is None:
            _check_unnamed(box, dealer_plays)
    _check_after_exchange(rules, round_, dealer_plays)


def check_declared(rules: RuleSet, round_: Round, dealer: Category | None) -> None:
    """Results that people declared: of this game, without stakes that only cards decide, and in agreement."""
    order = category_order(rules.flush_over_full_house)
    if round_.declared is not None and not in_game(rules, round_.declared):
        raise _illegal("no such hand in this game", "dealer", "nothing")
    for box in round_.boxes:
        where = f"box {box.box}"
        if box.declared is not None:
            _check_one_declared(rules, box, box.declared, where)
        plays = dealer is not None and order.index(dealer) >= order.index(rules.qualify_min)
        if not plays or not box.raised:
            continue
        if box.declared is None and round_.declared is not None:
            raise _illegal("a box with cards against a declared dealer", where, "declare its result")
        if box.declared is not None and dealer is not None:
            mine, his = order.index(box.declared.hand), order.index(dealer)
            fits = {"win": mine >= his, "lose": mine <= his, "tie": mine == his, "": False}
            if not fits[box.declared.against]:
                raise _illegal("the declared end does not fit the dealer's hand", where, "win, tie or lose, as it is")


def in_game(rules: RuleSet, hand: Category) -> bool:
    """Whether anybody can hold this category in this game."""
    if hand is Category.FIVE_OF_A_KIND:
        return rules.variant in ("joker53", "jpoker")
    return hand is not Category.ACE_KING or rules.ace_king


def _check_one_declared(rules: RuleSet, box: Box, said: Declared, where: str) -> None:
    drawn = box.action is not Action.NONE
    lost = (drawn and rules.bonus_on_draw == "forfeit") or (not box.raised and rules.bonus_on_fold == "lost")
    if None not in box.cards:
        raise _illegal("a declared result beside known cards", where, "one of them")
    if box.jackpot or (box.bonus and not lost):
        raise _illegal("a side bet that only cards decide", where, "enter its cards")
    if not in_game(rules, said.hand):
        raise _illegal("no such hand in this game", where, "nothing")
    if said.second is not None and (not rules.double_combination or said.second not in rules.pay):
        raise _illegal("no such second combination", where, "leave it out")


def _illegal(what: str, where: str, remedy: str) -> TableError:
    return TableError(412, what, where, remedy)


def _check_joker(rules: RuleSet, round_: Round) -> None:
    if rules.variant == "jpoker" and round_.joker is None and not round_.doc:
        raise _illegal("the joker is missing", "joker", "a card, or DOC")
    if rules.variant != "jpoker" and (round_.joker is not None or round_.doc):
        raise _illegal("this game draws no joker", "joker", "leave it out")


def _check_cards(rules: RuleSet, round_: Round) -> None:
    """Named for people who settle a hand by hand; a table passes on the code alone (the rule of silence)."""
    known = set(deck(rules.deck_size))
    if round_.joker is not None and round_.joker not in known - {JOKER}:
        raise TableError(411, "the joker is not a card of this deck", "joker", "a card of the deck")
    seen: set[Card] = set()
    for where, cards in _places(round_):
        for card in cards:
            if card is None:
                continue
            if card not in known:
                what = f"{card_text(card)} is not in this deck"
                raise TableError(411, what, where, f"the deck has {len(known)} cards")
            if card in seen:
                what = f"{card_text(card)} stands twice"
                raise TableError(411, what, where, "count the deck, enter what lies there")
            seen.add(card)


def _places(round_: Round) -> Iterable[tuple[str, Cards]]:
    yield "dealer", round_.dealer
    if round_.after_exchange is not None:
        changed = zip(round_.after_exchange, (*round_.dealer, None), strict=False)
        yield "dealer.after_exchange", tuple(new for new, old in changed if new != old)
    for box in round_.boxes:
        yield f"box {box.box}", box.cards
        yield f"box {box.box}, drawn", box.new_cards()


def check_box(rules: RuleSet, box: Box, round_: Round) -> None:
    """One box's actions and stakes."""
    where = f"box {box.box}"
    _check_action(rules, box, where)
    if box.blind:
        _check_blind(rules, box, where)
    if box.bonus and not rules.bonus_table:
        raise _illegal("this game has no bonus", where, "leave the bonus out")
    if box.jackpot and rules.jackpot.jackpot_mode != "side_bet":
        raise _illegal("the jackpot is won through the bonus", where, "leave the jackpot stake out")
    if box.jackpot and round_.meter is None:
        raise _illegal("a jackpot stake without a meter", where, "give the jackpot's meter")
    if box.carried and rules.tie != "carry":
        raise _illegal("ties are not carried in this game", where, "leave `carried` out")
    if box.backers and (not rules.shared_box or sum(box.backers) != box.ante):
        raise _illegal("the backers do not make up the ante", where, "antes whose sum is the box's, where allowed")
    _check_insurance(rules, box, round_, where)
    if box.buy_dealer:
        dealer_fee(rules, box.ante)
        if box.blind or not box.raised:
            raise _illegal("a folded or blind box buys no card for the dealer", where, "leave `buy_dealer` out")


def _check_action(rules: RuleSet, box: Box, where: str) -> None:
    if box.action is Action.BOTH and rules.max_actions < 2:
        raise _illegal("one action a box", where, "an exchange or a sixth card")
    if box.action.exchanges:
        _check_exchange(rules, box, where)
        fee(rules, box.count, box.ante)
        if box.raised and "pay_after_exchange" in rules.fill_in:
            raise TableError(405, "pay_after_exchange is not filled in", f"rule set {rules.id}",
                             "the house's odds in the rule set or in `set`")  # fmt: skip
        if not box.raised and box.count in rules.force_raise_after:
            raise _illegal(f"after {box.count} exchanged cards the bet is compulsory", where, "raise")
    if box.action.buys:
        sixth_card_fee(rules, box.ante)


def _check_exchange(rules: RuleSet, box: Box, where: str) -> None:
    if one_by_one(rules):
        if box.final is not None and box.drawn:
            kept = zip(box.cards, box.final, strict=False)
            if not set(box.drawn).issuperset(new for old, new in kept if new != old):
                raise _illegal("a card in `final` that was not drawn", where, "all drawn cards in `drawn`")
        return
    if box.final is not None and box.drawn:
        raise _illegal("cards are not exchanged one after another in this game", where, "leave `drawn` out")
    if box.count not in rules.exchange_fee:
        offered = ", ".join(map(str, offered_counts(rules))) or "none"
        raise _illegal(f"an exchange of {box.count} is not offered", where, f"numbers of cards: {offered}")


def _check_blind(rules: RuleSet, box: Box, where: str) -> None:
    extras = {"bonus": box.bonus, "buy6": box.action.buys, "insurance": box.insurance}
    for name, staked in extras.items():
        if staked and name not in rules.blind_extras:
            raise _illegal(f"a blind box has no {name}", where, f"beside ante and bet: {', '.join(rules.blind_extras)}")
    if box.action.exchanges or not box.raised:
        raise _illegal("a blind box can only bet", where, "raise")


def _check_insurance(rules: RuleSet, box: Box, round_: Round, where: str) -> None:
    if not box.insurance:
        return
    laid_before = box.blind or box.insurance_carried  # before anybody could know that the dealer is sure to play
    if not rules.insurance or (round_.doc and not laid_before):
        raise _illegal("no insurance is offered in this hand", where, "leave the insurance out")
    if box.insurance_carried and rules.insurance_on_beaten != "carry":
        raise _illegal("insurance is not carried in this game", where, "leave `insurance_carried` out")
    if not box.raised and not box.insurance_carried:
        raise _illegal("a folded box has no insurance", where, "leave the insurance out")
    if box.insurance < box.ante and not box.insurance_carried:
        raise _illegal("insurance of less than one ante", where, f"{box.ante} or more")


def _check_unnamed(box: Box, dealer_plays: bool | None) -> None:
    if dealer_plays is not False or box.insurance or box.buy_dealer:
        raise TableError(413, "the discards must be named here", f"box {box.box}",
                         "give `final`; count and drawn do on a fold, or where the dealer does not play")  # fmt: skip


def _check_after_exchange(rules: RuleSet, round_: Round, dealer_plays: bool | None) -> None:
    bought = dealer_plays is False and any(box.buy_dealer for box in round_.boxes)
    where = "dealer.after_exchange"
    if round_.after_exchange is None:
        if bought:
            raise _illegal("a box bought the dealer a card", where, "the dealer's cards after it")
        return
    if not bought:
        raise _illegal("no box bought the dealer a card", where, "leave it out")
    if rules.dealer_exchange_card == "add":
        if len(round_.after_exchange) != 6 or round_.after_exchange[:5] != round_.dealer:
            raise _illegal("not the dealer's five and one card more", where, "six cards, the new one last")
        return
    _check_replacement(rules, round_, round_.after_exchange, where)


def _check_replacement(rules: RuleSet, round_: Round, after: Cards, where: str) -> None:
    if len(after) != 5:
        raise _illegal("a wrong number of cards", where, "five cards")
    places = [i for i in range(5) if after[i] != round_.dealer[i]]
    if len(places) != 1:
        raise _illegal("not exactly one card was replaced", where, "the other four in their places")
    old, new = round_.dealer[places[0]], after[places[0]]
    assert old is not None
    ranks = [dealer_rank(rules, card) for card in round_.dealer if card is not None]
    goes = max(ranks) if rules.dealer_exchange_card == "highest" else min(ranks)
    if dealer_rank(rules, old) != goes:
        raise _illegal(f"not the {rules.dealer_exchange_card} card was replaced", where, "replace that one")
    if new is None or JOKER in (new, old) or not rules.dealer_exchange_redraw_same_rank:
        return
    if rank_of(old) == rank_of(new) and not _deck_ended(rules, round_):
        raise _illegal("the rank that went out came again", where, "draw once more")


def dealer_rank(rules: RuleSet, card: Card) -> int:
    """Rank of a dealer's card when one is to go: an idle joker is below a deuce, or an ace (Q66)."""
    if card == JOKER:
        return 12 if rules.joker_idle == "ace" else -1
    return rank_of(card)


def _deck_ended(rules: RuleSet, round_: Round) -> bool:
    """The other cards of that rank can have been drawn before and the deck be at its end: then the last one stands."""
    used = sum(len(cards) for _, cards in _places(round_))
    return rules.deck_size - rules.burn_cards - used <= 2
