"""From the configuration to what a table plays: rule set, plate, procedure, and settlement by both readings."""

from __future__ import annotations

from typing import Any

import msgspec

from controller import odds, settle
from controller.config import Config
from controller.domain import prices
from controller.domain.decks import DeckRules
from controller.domain.events import TableOpened
from controller.domain.hand.setup import BetSensors, Differ, Doors, Plate, Procedure, Setup, Training, Unsettled
from controller.domain.money import exact_text
from controller.domain.ruleset import RuleSet
from controller.domain.state import CardSource, Equipment, StakeEntry
from controller.errors import TableError
from controller.rulesets import load
from controller.watch_config import DoorEffect, DoorsSection, SideBet

DEVICES = ("shoe", "reader", "shuffler", "badge", "tray", "overlay", "printer")
"""Sections of table.toml that are a device each, by its name in records and snapshots."""


def make_setup(config: Config, *, training: bool = False) -> Setup:
    """The setup of a run, or of a training. TableError where rule set, plate and boxes do not go together."""
    rules = load(config.table.rules).require_complete()
    base = rules.base_id or rules.id
    rules = _with_overrides(rules, config)
    _check(rules, config)
    own = rules.settlement_diff(load(base))
    told = odds.remark(rules) if own or odds.known(rules) is not None else None
    return Setup(
        table=config.table.id,
        rules=rules,
        boxes=config.table.boxes,
        plate=Plate(
            ante_min=config.limits.ante_min,
            ante_max=config.limits.ante_max,
            cap=config.limits.cap,
            bonus_max=config.limits.bonus_max,
            chips=config.limits.chips,
            award_limit=config.jackpot.award_limit if config.jackpot else 0,
        ),
        procedure=_procedure(rules, config),
        settle=settle_both,
        settle_rules=base,
        settle_set=own,
        edge=told.text if told else "",
        source="reader" if config.reader else "shoe",
        fitted=("board", *(name for name in DEVICES if getattr(config, name) is not None)),
        warnings=(
            *_line_warnings(config),
            *_cap_warning(rules, config),
            *(told.warnings if told else (odds.NOT_KNOWN,)),
        ),
        favours_player=bool(told and told.favours_player),
        training=_training(config, training),
        jackpot_stake=config.jackpot.stake if config.jackpot else 0,
        meter_start=(config.jackpot.meter or exact_text(rules.jackpot.base)) if config.jackpot else "",
        sensors=_sensors(rules, config),
        doors=_doors(config.doors),
        decks=DeckRules(
            shuffler=config.shuffler is not None,
            inspects=config.shuffler is None or config.shuffler.inspects,
            life_hands=config.decks.life_hands,
            life_hours=config.decks.life_hours,
            stub_hands=config.decks.stub_count_hands,
        ),
    )


def _doors(fitted: DoorsSection) -> Doors:
    enclosure, shoe = ("" if e is DoorEffect.NOT_FITTED else str(e) for e in (fitted.enclosure, fitted.shoe_lid))
    return Doors(enclosure=enclosure, shoe=shoe, off_minutes=fitted.off_minutes)


def _sensors(rules: RuleSet, config: Config) -> BetSensors | None:
    """What a chip on a bet sensor means at this table."""
    fitted = config.sensors
    if fitted is None:
        return None
    if fitted.bet is SideBet.BONUS and not rules.bonus_table:
        raise TableError(124, f"{rules.id} has no bonus", "sensors.bet", "another rule set, or no [sensors]")
    stake = config.jackpot.stake if config.jackpot and fitted.bet is SideBet.JACKPOT else fitted.amount
    return BetSensors(field=str(fitted.bet), amount=stake, collect_at_lock=fitted.collect_at_lock)


def _training(config: Config, running: bool) -> Training:
    if running:
        return Training.RUNNING
    return Training.OFFERED if config.training else Training.NONE


def settle_both(request: dict[str, Any]) -> dict[str, Any]:
    """Both readings. Differ where they disagree, Unsettled where the request is refused."""
    try:
        return settle.run(request)
    except settle.ReadingsDiffer as differ:
        raise Differ(differ.domain, differ.referee) from None
    except TableError as error:
        raise Unsettled(error.code) from None


def _with_overrides(rules: RuleSet, config: Config) -> RuleSet:
    """Procedure that the house states in table.toml stands over the rule set's."""
    named = {
        key: str(value)
        for key in ("settle_order", "joker_time", "draw_timing")
        if (value := getattr(config.procedure, key)) is not None
    }
    return rules.with_set(named, "procedure") if named else rules


def _procedure(rules: RuleSet, config: Config) -> Procedure:
    return Procedure(
        joker_time=rules.joker_time,
        draw_timing=rules.draw_timing,
        settle_order=rules.settle_order,
        settle_mode=str(config.procedure.settle_mode),
        stop_timeout_s=config.procedure.stop_timeout_s,
        max_unknown=config.procedure.max_unknown,
        discard_check_from=str(config.procedure.discard_check_from),
        max_open_boxes=config.procedure.max_open_boxes or rules.max_open_boxes,
        equipment=config.table.equipment,
        exposed_player=config.procedure.exposed_player,
        exposed_dealer=config.procedure.exposed_dealer,
        cards=config.table.cards,
        stake_entry=config.procedure.stake_entry,
        declared_by=config.procedure.declared_by,
        equal_antes=rules.equal_antes if config.procedure.equal_antes is None else config.procedure.equal_antes,
    )


def _check(rules: RuleSet, config: Config) -> None:
    """What would make every hand impossible, or the plate a lie (Q13)."""
    if config.table.equipment is Equipment.BOARD and str(rules.variant) != "jpoker":
        what = f'equipment = "board" needs a game with a joker on the board, {rules.id} has none'
        raise TableError(127, what, "table.equipment", "give a rule set of J-poker, or other equipment")
    if config.procedure.stake_entry is not StakeEntry.BEFORE_DEAL:
        _check_nominal(rules, config)
    if config.table.cards is CardSource.NONE:
        _check_without_cards(rules, config)
    served = prices.most_dealt(rules)
    if config.table.boxes > served:
        raise TableError(
            120,
            f"{config.table.boxes} boxes: the deck of {rules.id} serves {served}",
            "table.boxes",
            f"1 to {served}",
        )
    if config.table.boxes > rules.max_boxes:
        what = f"{config.table.boxes} boxes: {rules.id} has max_boxes = {rules.max_boxes}"
        raise TableError(120, what, "table.boxes", f"1 to {rules.max_boxes}, or another max_boxes in the rule set")
    if config.limits.cap < config.limits.ante_min:
        raise TableError(
            121,
            f"cap {config.limits.cap} is below the smallest win",
            "limits.cap",
            f"at least {config.limits.ante_min}; {_full(rules, config)} pays every hand in full",
        )


def _check_nominal(rules: RuleSet, config: Config) -> None:
    """What needs the amounts before the payout cannot be played where they come later, or never."""
    wrong = {
        "a bonus paid before the settlement": rules.bonus_pay_time != "settlement",
        "a jackpot": config.jackpot is not None,
        "insurance, which is measured by the ante": rules.insurance,
    }
    for what, asked in wrong.items():
        if asked:
            entry = config.procedure.stake_entry
            where = "procedure.stake_entry"
            raise TableError(126, f'stake_entry = "{entry}" does not go with {what}', where, 'give "before_deal"')


def _line_warnings(config: Config) -> tuple[str, ...]:
    """Devices that cannot prove who they are, or see less than one might think."""
    reader = ("cards come from a plain reader, which cannot prove who it is: untrusted",) if config.reader else ()
    fitted = {"shoe": config.shoe, "shuffler": config.shuffler}
    clear = [name for name, section in fitted.items() if section is not None and section.key is None]
    counts = config.shuffler is not None and not config.shuffler.inspects
    blind = ("the shuffler only counts: nobody looks for a card that is in a deck twice",) if counts else ()
    return (*reader, *(f"the {name}'s line is in clear: untrusted" for name in clear), *blind)


def _check_without_cards(rules: RuleSet, config: Config) -> None:
    """What only cards decide cannot be played where nobody records them."""
    wrong = {
        "limits.bonus_max": (config.limits.bonus_max > 0, "a bonus", "0"),
        "jackpot": (config.jackpot is not None, "a jackpot", "leave the section out"),
        "table.rules": (rules.dealer_exchange_fee is not None, f"the dealer's bought card ({rules.id})",
                        'a rule set with dealer_exchange_fee = "none"'),
    }  # fmt: skip
    for key, (asked, what, remedy) in wrong.items():
        if asked:
            raise TableError(125, f'cards = "none" does not go with {what}', key, remedy)


def _cap_warning(rules: RuleSet, config: Config) -> tuple[str, ...]:
    """A cap that cuts even the smallest ante's best win is no lie, but somebody should know (Q13)."""
    full = _full(rules, config)
    if config.limits.cap >= full:
        return ()
    return (f"the maximum payout {config.limits.cap} cuts wins of the smallest ante: {full} pays every hand in full",)


def _full(rules: RuleSet, config: Config) -> int:
    return prices.best_win(rules, config.limits.ante_min)


def check_same_rules(setup: Setup, opened: TableOpened, where: str) -> None:
    """An open table goes on as it was opened, or not at all."""
    now = {
        "rules": setup.rules.rules_hash(),
        "boxes": setup.boxes,
        "procedure": setup.procedure,
    }
    procedure = msgspec.convert(opened.procedure, Procedure)  # an older record lacks what has a default now
    then = {"rules": opened.rules_hash, "boxes": opened.boxes, "procedure": procedure}
    changed = ", ".join(key for key, value in then.items() if value != now[key])
    if changed:
        raise TableError(
            122,
            f"the table is open under other {changed} than table.toml names now",
            where,
            "restore the old values, close the table, then change them",
        )
