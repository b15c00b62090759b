"""Who must agree: grades A, B and C (floor: authority). Pure; which command has which grade is the table's business.

One person never counts twice, whatever roles they hold and however often they are named.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import assert_never

import msgspec


class Role(enum.StrEnum):
    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    SURVEILLANCE = "surveillance"
    TECHNICIAN = "technician"
    ACCOUNTING = "accounting"


class Grade(enum.StrEnum):
    """A: the dealer at the table alone. B: that dealer and one supervisor. C: two people, neither that dealer."""

    A = "A"
    B = "B"
    C = "C"


class Need(enum.StrEnum):
    """Someone who has not agreed yet."""

    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    SECOND_PERSON = "second_person"


class Person(msgspec.Struct, frozen=True):
    """Someone who agrees to an act; `at_table`: is the dealer signed on at this table."""

    operator: str
    roles: tuple[Role, ...]
    at_table: bool = False


def missing(grade: Grade, people: Iterable[Person]) -> tuple[Need, ...]:
    """Who is still missing for an act of this grade; empty: satisfied."""
    persons = _each_once(people)
    dealer = any(person.at_table for person in persons)
    others = [person for person in persons if not person.at_table]
    supervisor = any(Role.SUPERVISOR in person.roles for person in others)
    match grade:
        case Grade.A:
            needs = [(Need.DEALER, dealer)]
        case Grade.B:
            needs = [(Need.DEALER, dealer), (Need.SUPERVISOR, supervisor)]
        case Grade.C:
            # One of the two is a supervisor; the second may be any officer, never one who only deals.
            officers = [person for person in others if set(person.roles) - {Role.DEALER}]
            second = len(officers) >= 2 or (not supervisor and len(officers) == 1)
            needs = [(Need.SUPERVISOR, supervisor), (Need.SECOND_PERSON, second)]
        case _:
            assert_never(grade)
    return tuple(need for need, met in needs if not met)


def satisfied(grade: Grade, people: Iterable[Person]) -> bool:
    """Whether these people may do it."""
    return not missing(grade, people)


def _each_once(people: Iterable[Person]) -> list[Person]:
    """One entry a person. Named twice, once as the dealer at the table: they are that dealer."""
    found: dict[str, Person] = {}
    for person in people:
        known = found.get(person.operator)
        if known is not None:
            roles = tuple(sorted({*known.roles, *person.roles}))
            person = Person(person.operator, roles, known.at_table or person.at_table)  # noqa: PLW2901
        found[person.operator] = person
    return list(found.values())
