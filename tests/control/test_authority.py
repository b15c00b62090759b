"""Grades A, B and C: who is missing, and that one person never counts twice."""

from __future__ import annotations

from itertools import combinations

import pytest

from controller.control.authority import Grade, Need, Person, Role, missing, satisfied

DEALER = Person("d1", (Role.DEALER,), at_table=True)
OTHER_DEALER = Person("d2", (Role.DEALER,))
SUPERVISOR = Person("s1", (Role.SUPERVISOR,))
SECOND = Person("s2", (Role.SUPERVISOR,))
EYE = Person("e1", (Role.SURVEILLANCE,))
EYE_TOO = Person("e2", (Role.SURVEILLANCE,))
TECHNICIAN = Person("t1", (Role.TECHNICIAN,))
DEALING_SUPERVISOR = Person("s3", (Role.DEALER, Role.SUPERVISOR), at_table=True)
RESTING_SUPERVISOR = Person("s3", (Role.DEALER, Role.SUPERVISOR))
EVERYONE = [DEALER, OTHER_DEALER, SUPERVISOR, SECOND, EYE, EYE_TOO, TECHNICIAN, RESTING_SUPERVISOR]

CASES = [
    (Grade.A, [], [Need.DEALER]),
    (Grade.A, [DEALER], []),
    (Grade.A, [SUPERVISOR], [Need.DEALER]),
    (Grade.B, [], [Need.DEALER, Need.SUPERVISOR]),
    (Grade.B, [DEALER], [Need.SUPERVISOR]),
    (Grade.B, [SUPERVISOR], [Need.DEALER]),
    (Grade.B, [DEALER, SUPERVISOR], []),
    (Grade.B, [DEALER, EYE], [Need.SUPERVISOR]),
    (Grade.B, [DEALING_SUPERVISOR], [Need.SUPERVISOR]),
    (Grade.B, [DEALING_SUPERVISOR, RESTING_SUPERVISOR], [Need.SUPERVISOR]),
    (Grade.B, [DEALING_SUPERVISOR, SUPERVISOR], []),
    (Grade.B, [DEALER, RESTING_SUPERVISOR], []),
    (Grade.C, [], [Need.SUPERVISOR, Need.SECOND_PERSON]),
    (Grade.C, [SUPERVISOR], [Need.SECOND_PERSON]),
    (Grade.C, [SUPERVISOR, SUPERVISOR], [Need.SECOND_PERSON]),
    (Grade.C, [EYE], [Need.SUPERVISOR]),
    (Grade.C, [EYE, EYE_TOO], [Need.SUPERVISOR]),
    (Grade.C, [SUPERVISOR, EYE], []),
    (Grade.C, [SUPERVISOR, SECOND], []),
    (Grade.C, [SUPERVISOR, TECHNICIAN], []),
    (Grade.C, [SUPERVISOR, DEALER], [Need.SECOND_PERSON]),
    (Grade.C, [SUPERVISOR, OTHER_DEALER], [Need.SECOND_PERSON]),
    (Grade.C, [DEALING_SUPERVISOR, SUPERVISOR], [Need.SECOND_PERSON]),
    (Grade.C, [DEALING_SUPERVISOR, EYE], [Need.SUPERVISOR]),
    (Grade.C, [RESTING_SUPERVISOR, SUPERVISOR], []),
]


@pytest.mark.parametrize(("grade", "people", "needs"), CASES)
def test_who_is_missing(grade: Grade, people: list[Person], needs: list[Need]) -> None:
    assert list(missing(grade, people)) == needs
    assert list(missing(grade, reversed(people))) == needs
    assert satisfied(grade, people) is (not needs)


@pytest.mark.parametrize("grade", list(Grade))
def test_repeating_people_and_adding_people_never_takes_away(grade: Grade) -> None:
    for size in range(len(EVERYONE) + 1):
        for people in combinations(EVERYONE, size):
            assert missing(grade, people * 3) == missing(grade, people)
            if satisfied(grade, people):
                assert all(satisfied(grade, [*people, one]) for one in EVERYONE)


@pytest.mark.parametrize("grade", [Grade.B, Grade.C])
def test_nobody_alone_is_enough(grade: Grade) -> None:
    for roles in combinations(Role, 2):
        for at_table in (True, False):
            assert not satisfied(grade, [Person("x", roles, at_table)] * 2)
