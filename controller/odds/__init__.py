"""Exact odds of a rule set: what stands in front of the engine. Imports numpy only where something has to be computed.

`edge` answers from the stored odds of the shipped rule sets, then from the user's cache, then by computing.
`known_edge` and `remark` are cheap enough for a table that opens.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import msgspec

from controller.domain.ruleset import RuleSet
from controller.errors import TableError
from controller.odds import store
from controller.odds.result import Odds

__all__ = ["NOT_KNOWN", "Odds", "Remark", "edge", "known", "known_edge", "remark", "require_numpy"]

Progress = Callable[[str, float], None]
_QUICK = frozenset((1,))
NOT_KNOWN = "the house edge of these rules is not known: run `tablectl odds` with this file once"


class Remark(msgspec.Struct, frozen=True):
    """What a person should know about a rule set's odds. `favours_player`: or may, as far as a sample can say."""

    text: str
    warnings: tuple[str, ...] = ()
    favours_player: bool = False


def known_edge(rules_hash: str) -> float | None:
    """House edge under best play, as a fraction of the ante, if it is stored under this hash."""
    found = store.by_hash(rules_hash)
    return None if found is None else found.house_edge


def known(rules: RuleSet, strategy: str = "best") -> Odds | None:
    """Stored odds of these rules: what does not bear on the odds (boxes, cap, procedure) may differ."""
    found = store.by_key(rules, strategy) or store.best_cached(rules, strategy)
    return None if found is None else _named(found, rules)


def edge(
    rules: RuleSet, strategy: str = "best", *, hands: int = 0, cache: bool = True, progress: Progress | None = None
) -> Odds:
    """The odds. `hands`: size of the sample where one is needed (0: the usual one). TableError without numpy."""
    found = (known(rules, strategy) if not hands else store.cached(rules, strategy, hands)) if cache else None
    if found is not None:
        return _with_sides(_named(found, rules), rules)
    require_numpy()
    from controller.odds.engine import HANDS, compute  # noqa: PLC0415 - numpy is an extra

    answer = compute(rules, strategy, hands=hands or HANDS, progress=progress)
    if cache:
        store.keep(rules, answer, hands)
    return answer


def remark(rules: RuleSet) -> Remark | None:
    """The house edge in words, if it is stored or computed within seconds; warns where the player has the edge."""
    if rules.fill_in:
        return None
    odds = known(rules)
    if odds is None and _is_quick(rules):
        odds = edge(rules)
    if odds is None:
        return None
    error = f" +- {100 * odds.stderr:.2f} %" if odds.method == "sample" else ""
    text = f"house edge {100 * odds.house_edge:.4f} % of the ante under best play ({odds.method}{error})"
    warnings = []
    if odds.in_doubt:
        warnings.append(
            f"whose edge it is is in doubt: {100 * odds.house_edge:.2f} +- {100 * odds.stderr:.2f} %, "
            "take a larger sample (`tablectl odds --hands`)"
        )
    elif odds.house_edge < 0:
        warnings.append(f"the player has the edge: {-100 * odds.house_edge:.4f} % of the ante under best play")
    if odds.sides.get("bonus_edge", 0.0) < 0:
        warnings.append(f"the bonus favours the player: {-100 * odds.sides['bonus_edge']:.2f} % of its stake")
    return Remark(text, tuple(warnings), bool(warnings))


def require_numpy() -> None:
    """TC-0423 where numpy is not installed."""
    if importlib.util.find_spec("numpy") is None:
        raise TableError(423, "odds need numpy, which is not installed", "tablectl odds",
                         "pip install 'table-controller[odds]', or apt install python3-numpy")  # fmt: skip


def _is_quick(rules: RuleSet) -> bool:
    """No joker, at most one card drawn, no card for the dealer."""
    plain = rules.variant in ("caribbean", "oasis")
    draws = set(rules.exchange_fee) <= _QUICK and rules.sixth_card_fee is None and rules.dealer_exchange_fee is None
    return plain and draws and importlib.util.find_spec("numpy") is not None


def _named(odds: Odds, rules: RuleSet) -> Odds:
    """The odds under the name of these rules; side bets only where they are the very same."""
    if odds.rules_hash == rules.rules_hash():
        return msgspec.structs.replace(odds, rules=rules.id)
    sides = odds.sides if store.sides_key(rules) == odds.sides_key else {}
    return msgspec.structs.replace(odds, rules=rules.id, rules_hash=rules.rules_hash(), sides=sides)


def _with_sides(odds: Odds, rules: RuleSet) -> Odds:
    """Side bets filled in where the stored odds are of another bonus or jackpot."""
    if odds.sides or importlib.util.find_spec("numpy") is None:
        return odds
    from controller.odds.finals import Book  # noqa: PLC0415
    from controller.odds.sidebets import side_bets  # noqa: PLC0415

    return msgspec.structs.replace(odds, sides=side_bets(Book(rules)), sides_key=store.sides_key(rules))
