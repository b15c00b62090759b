"""The games as files: finds, reads and checks rule sets. The only place that opens one.

A file states what differs from its `base`, a shipped rule set; without a base, from the defaults of RuleSet.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from controller.domain.parameters import refuse
from controller.domain.ruleset import JACKPOT_PARAMETERS, PARAMETERS, RuleSet, check
from controller.errors import TableError

ORDER = (
    "caribbean", "oasis_ru", "oasis_woo", "oasis_galewind", "oasis_belgium", "oasis_nicaragua", "oasis_helsinki",
    "joker53", "joker53_full", "jpoker", "jpoker_online", "russian", "russian_carry", "russian_36",
)  # fmt: skip
_OF_VARIANT = {
    "caribbean": "caribbean", "oasis": "oasis_ru", "russian": "russian", "joker53": "joker53", "jpoker": "jpoker",
}  # fmt: skip
_ABOUT = ("title", "base", "template")


def shipped() -> tuple[str, ...]:
    """The ids of the rule sets that come with the controller, in the order of the documentation."""
    return ORDER


def load(id_or_path: str | Path) -> RuleSet:
    """A shipped rule set by its id, or a house's file by its path (anything with `/` or `.toml`)."""
    text = str(id_or_path)
    if text in ORDER:
        return _shipped(text)
    if "/" not in text and not text.endswith(".toml"):
        raise TableError(401, f"no rule set {text!r}", "rules", f"one of {', '.join(ORDER)}, or a file")
    path = Path(text)
    try:
        content = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TableError(401, f"rule set cannot be read ({error})", text, "give the path of a TOML file") from None
    return parse(content, path.stem, text)


def parse(content: str, name: str, where: str) -> RuleSet:
    """A rule set from TOML. TableError names file, key and what is allowed."""
    try:
        data = tomllib.loads(content, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise TableError(406, f"not TOML ({error})", where, "correct the file") from None
    about = {key: data.pop(key) for key in _ABOUT if key in data}
    start = _start(name, about, data, where)
    rules = start.with_set(data, where)
    return msgspec.structs.replace(
        rules,
        id=name,
        base_id=name if name in ORDER and where == name else start.base_id or _OF_VARIANT[rules.variant],
        title=_text(about, "title", where) or start.title,
    )


def explain() -> Mapping[str, str]:
    """What each parameter means, by name."""
    return {name: p.meaning for name, p in (PARAMETERS | JACKPOT_PARAMETERS).items()}


@functools.cache
def _shipped(name: str) -> RuleSet:
    content = resources.files("controller.rulesets").joinpath(f"{name}.toml").read_text("utf-8")
    return parse(content, name, name)


def _start(name: str, about: Mapping[str, Any], data: Mapping[str, Any], where: str) -> RuleSet:
    base = _text(about, "base", where)
    template = _template(about, where)
    if base:
        if base not in ORDER:
            raise refuse(f"unknown base {base!r}", f"{where}.base", ", ".join(ORDER), 401)
        start = _shipped(base)
        return msgspec.structs.replace(start, fill_in=(*start.fill_in, *template))
    variant = data.get("variant")
    PARAMETERS["variant"].kind.read(variant, f"{where}.variant")
    return RuleSet(id=name, variant=str(variant), fill_in=template)


def _text(about: Mapping[str, Any], key: str, where: str) -> str:
    value = about.get(key, "")
    if not isinstance(value, str):
        raise refuse("not a text", f"{where}.{key}", "a text")
    return value


def _template(about: Mapping[str, Any], where: str) -> tuple[str, ...]:
    names = about.get("template", [])
    known = PARAMETERS | JACKPOT_PARAMETERS
    if not isinstance(names, list) or any(name not in known for name in names):
        raise refuse("not a list of parameters", f"{where}.template", "names of parameters that are to be filled in")
    return tuple(names)


__all__ = ["ORDER", "check", "explain", "load", "parse", "shipped"]
