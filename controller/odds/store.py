"""Where odds are kept: those of the shipped rule sets beside this file, others in the user's cache. Never needs numpy.

Both are found by what bears on the odds, so that another number of boxes or another plate does not hide them.
"""

from __future__ import annotations

import functools
import hashlib
import os
from importlib import resources
from pathlib import Path

import msgspec

from controller.domain.ruleset import RuleSet
from controller.odds.result import Odds

ENGINE = 1
"""Raised when the engine's answers change: old cache files are then not found."""
KNOWN = "known.json"
_SIDES = (
    "bonus_table", "bonus_sevens", "bonus_trips_min_rank", "bonus_pays", "bonus_joker",
)  # fmt: skip
_JACKPOT = ("fixed", "sf_share", "jackpot_mode", "jackpot_joker")
_NOT_ODDS = frozenset((
    *_SIDES, "jackpot", "cap", "cap_scope", "cap_basis", "cap_per", "cap_includes_insurance", "bonus_on_draw",
    "bonus_on_fold", "bonus_pay_time", "bonus_max", "insurance_until", "joker_time", "shared_box", "blind_extras",
    "max_boxes", "max_open_boxes", "equal_antes", "draw_timing", "settle_order", "upcard", "deal_mode", "stub_policy",
    "burn_cards",
))  # fmt: skip


def odds_key(rules: RuleSet) -> str:
    """Hash of everything that bears on the odds of the main game."""
    facts = {name: value for name, value in rules.facts().items() if name not in _NOT_ODDS}
    if rules.variant != "jpoker":
        facts.pop("doc_weight")
    return _hash(facts)


def sides_key(rules: RuleSet) -> str:
    """Hash of everything that bears on the odds of the side bets."""
    facts = rules.facts()
    jackpot = {name: facts["jackpot"][name] for name in _JACKPOT}
    return _hash({name: facts[name] for name in _SIDES} | {"jackpot": jackpot, "game": odds_key(rules)})


def _hash(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


def by_hash(rules_hash: str) -> Odds | None:
    """Stored odds under best play of exactly these rules."""
    return next((odds for odds in stored() if odds.rules_hash == rules_hash and odds.strategy == "best"), None)


def by_key(rules: RuleSet, strategy: str) -> Odds | None:
    """Stored odds of the same game."""
    key = odds_key(rules)
    return next((odds for odds in stored() if odds.key == key and odds.strategy == strategy), None)


@functools.cache
def stored() -> tuple[Odds, ...]:
    """The odds that ship."""
    try:
        content = resources.files("controller.odds").joinpath(KNOWN).read_bytes()
    except OSError:
        return ()
    return tuple(msgspec.json.decode(content, type=list[Odds]))


def put(rules: RuleSet, odds: Odds, path: Path | None = None) -> Path:
    """Adds odds to the file that ships, in place of older ones of the same rules and strategy."""
    target = path or Path(str(resources.files("controller.odds").joinpath(KNOWN)))
    every = msgspec.json.decode(target.read_bytes(), type=list[Odds]) if target.exists() else []
    ours = with_keys(rules, odds)
    kept = [one for one in every if (one.rules, one.strategy) != (ours.rules, ours.strategy)]
    ordered = sorted([*kept, ours], key=lambda one: (one.rules, one.strategy))
    target.write_bytes(msgspec.json.format(msgspec.json.encode(ordered), indent=1) + b"\n")
    stored.cache_clear()
    return target


def with_keys(rules: RuleSet, odds: Odds) -> Odds:
    return msgspec.structs.replace(odds, key=odds_key(rules), sides_key=sides_key(rules))


def folder() -> Path:
    """The user's cache."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "table-controller" / "odds"


def _file(rules: RuleSet, strategy: str, hands: int) -> Path:
    return folder() / f"{ENGINE}-{odds_key(rules)[:32]}-{strategy}-{hands}.json"


def cached(rules: RuleSet, strategy: str, hands: int) -> Odds | None:
    """Odds computed before by this user; a damaged file counts as none."""
    try:
        return msgspec.json.decode(_file(rules, strategy, hands).read_bytes(), type=Odds)
    except (OSError, msgspec.DecodeError):
        return None


def best_cached(rules: RuleSet, strategy: str) -> Odds | None:
    """Of what this user has computed the answer with the smallest error, whatever the size of its sample."""
    pattern = f"{ENGINE}-{odds_key(rules)[:32]}-{strategy}-*.json"
    sizes = [path.stem.rpartition("-")[2] for path in folder().glob(pattern)]
    found = [odds for size in sizes if size.isdecimal() and (odds := cached(rules, strategy, int(size))) is not None]
    return min(found, key=lambda odds: odds.stderr, default=None)


def keep(rules: RuleSet, odds: Odds, hands: int) -> None:
    """Best effort: a cache that cannot be written is no fault."""
    path = _file(rules, odds.strategy, hands)
    draft = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(msgspec.json.encode(with_keys(rules, odds)))
        draft.replace(path)
    except OSError:
        return
