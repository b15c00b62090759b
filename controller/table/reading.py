"""A command of the control socket, read from its name and arguments. What is wrong is said in the table's own words.

Pure. Names that exist are told, the nearest first; it never guesses one.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from controller.domain import commands as cm
from controller.domain.rejections import Rejection, Why, reject


def read_command(name: str, args: Mapping[str, Any]) -> cm.Command | Rejection:
    """The command, or why it is none."""
    known = cm.public_commands()
    kind = known.get(name)
    if kind is None:
        return _refused(f"there is no command {name!r}; there are {_nearest(name, known)}")
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    problem = _problem(name, args, fields)
    return _refused(problem) if problem else msgspec.convert({**args, "name": name}, kind)


def _refused(what: str) -> Rejection:
    return reject(Why.BAD_ARGUMENT, what=what)


def _problem(name: str, args: Mapping[str, Any], fields: Mapping[str, msgspec.structs.FieldInfo]) -> str:
    """The first thing that is wrong with the arguments; empty where nothing is."""
    for key, value in args.items():
        if key not in fields:
            takes = f"it takes {_nearest(key, fields)}" if fields else "it takes no arguments"
            return f"{name} takes no {key!r}; {takes}"
        if not _fits(value, fields[key].type):
            return f"{name}: {key} is {value!r:.40}; give {_words(msgspec.inspect.type_info(fields[key].type))}"
    missing = [key for key, field in fields.items() if field.required and key not in args]
    return f"{name} needs {', '.join(missing)}" if missing else ""


def _fits(value: object, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _nearest(word: str, known: Iterable[str]) -> str:
    """All of them: those that look like the word first, the rest in the order of the alphabet."""
    names = sorted(known)
    near = difflib.get_close_matches(word, names, n=3, cutoff=0.5)
    return ", ".join([*near, *(name for name in names if name not in near)])


def _words(info: Any) -> str:
    """What an argument takes."""
    match info:
        case msgspec.inspect.UnionType(types=parts):
            return " or ".join(map(_words, parts))
        case msgspec.inspect.NoneType():
            return "null"
        case msgspec.inspect.BoolType():
            return "true or false"
        case msgspec.inspect.IntType():
            return "a whole number"
        case msgspec.inspect.StrType(max_length=int(most)):
            return f"a text of at most {most} letters"
        case msgspec.inspect.VarTupleType(item_type=item):
            return f"a list, each {_words(item)}"
        case _:
            return "a text"
