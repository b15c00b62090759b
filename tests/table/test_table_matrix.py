"""Every command in every situation: what is possible is written here by hand, all else is refused without a trace.

(F58: an illegal trigger must be said, never swallowed.)
"""

from __future__ import annotations

import msgspec
import pytest
from harness import D1, E1, S1, S2, Rig, make_setup
from situations import SITUATIONS

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import PHASE_TABLE, Phase, next_phase
from controller.domain.rejections import Rejection, Why
from controller.domain.state import Cause
from controller.table import prompts

PLAY = {"dealing", "stop", "board", "decision", "draw", "reveal", "turn", "entry", "discards", "check", "paid", "rest",
        "release", "russian", "choice", "by_hand",
        "board_dead", "declare", "stake", "next"}  # fmt: skip
DECKS = {"deck", "stub", "shuffle"}
OPEN = {*SITUATIONS} - {"closed"}
POSSIBLE: dict[str, set[str]] = {
    "sign_on": {"closed", "betting", *DECKS},
    "sign_off": {"betting", *DECKS},
    "open_table": {"closed"},
    "close_table": {"betting", *DECKS},
    "limits": {"betting", *DECKS},
    "last_hands": OPEN,
    "correct_meter": set(),  # no jackpot here
    "owner": {"betting"},
    "stake": {"betting", "stake"},
    "repeat": set(),  # no hand has been played before
    "blind": {"betting"},
    "backers": {"betting"},
    "count": {"betting", "locked"},
    "lock": {"betting"},
    "start": {"betting", "next"},
    "stop": {"dealing", "stop", "by_hand"},
    "announce": {"board_dead"},
    "dealt": {"by_hand"},
    "manual": {*DECKS, "betting", "locked", "award", *PLAY} - {"by_hand", "declare", "next"},
    "declare": {"declare"},
    "next_hand": {"release"},
    "close_dispute": set(),  # no hand has left one
    "swap_hands": {"choice", "decision", "draw", "rest", "reveal", "russian"},
    "reassign": {"check", "discards", "paid", "stake"},
    "exposed": {"board", "board_dead", "by_hand", "decision", "draw", "reveal", "russian", "stop"},
    "automatic": set(),  # the shoe serves, or a hand is being played
    "fold": {"decision", "russian"},
    "bet": {"decision", "russian"},
    "exchange": {"decision", "draw", "russian"},
    "buy6": {"russian"},
    "insure": {"russian"},
    "fix_draw": set(),  # draws at once
    "reveal": {"reveal"},
    "take_ante": {"choice"},
    "buy_dealer": {"choice"},
    "turned": {"turn"},
    "discarded": {"discards", "check", "paid"},
    "discard_check": {"check"},
    "differs": {"stake", "declare", "entry", "discards", "check", "paid"},
    "paid": {"paid"},
    "rest": {"rest"},
    "hold": {"stake", "declare", "turn", "entry", "discards", "check", "paid", "rest"},
    "release": {"release"},
    "undo": {"betting", "draw", "reveal", "check"},
    "redirect": set(),  # draws at once: nobody else waits for a card
    "correct_stake": {*OPEN} - {*DECKS, "release", "award", "next"},
    "enter_card": {"entry"},
    "void_box": {"locked", "irregular", *PLAY} - {"next"},
    "void_hand": {"locked", "irregular", "fault", *PLAY},
    "irregular": {"betting", "locked", *PLAY},
    "call": {*SITUATIONS},
    "claim": {*SITUATIONS},
    "award": {"award"},
    "reset": {"fault"},
    "resume": {"irregular", "locked"},
    "deck": DECKS,
    "stub_count": {"stub"},
    "approve": set(),
    "reject": set(),
    "ok": {"next", "stub", "stake", "by_hand", "reveal", "turn", "paid", "rest"},
    "answer_alarm": set(),  # none stands
    "pair": {"closed"},
    "unpair": {"closed"},
    "training": set(),  # this table has none: tests/table/test_table_training.py
    "lamp_test": {"closed", "betting", *DECKS},
}


def sample(name: str, rig: Rig) -> cm.Command:
    """The command with arguments that fit the situation as well as any could."""
    want, kind = rig.want, cm.public_commands()[name]
    known = {
        "box": want.box or 1, "owner": 2, "ante": 20, "shares": (5, 5), "number": 1, "target": 2, "card": "Ah",
        "cards": {"discards": "3c", "paid": "3c", "check": "3c"}.get(str(want.kind), "3c"), "reason": "test",
        "index": 1, "place": "box", "hand": "pair", "against": "win",
        "deck": "blue", "id": 99, "hit": 1, "amount": 10, "count": 2, "cap": 5000, "alarm": 99, "meter": "7",
    }  # fmt: skip
    if name == "close_dispute":
        return cm.CloseDispute(hand=1, box=1)
    fields = {field: known[field] for field in kind.__struct_fields__ if field in known}
    if name in ("count", "reset", "limits"):
        fields = {"count": {"number": 0}, "limits": {"cap": 5000}, "reset": {}}[name]
    return kind(**fields)


def test_the_table_is_complete() -> None:
    assert set(POSSIBLE) == set(cm.public_commands())


@pytest.mark.parametrize("situation", SITUATIONS)
def test_every_command_in_every_situation(situation: str) -> None:
    rig = SITUATIONS[situation]()
    everybody = (D1, S1, S2, E1)
    for name, where in POSSIBLE.items():
        before, count = rig.table, len(rig.recorder.events)
        outcome = rig.act(sample(name, rig), *everybody)
        if situation in where:
            assert outcome.rejection is None, (situation, name, outcome.rejection)
            assert outcome.events, (situation, name)
            rig = SITUATIONS[situation]()
            continue
        assert outcome.rejection is not None, (situation, name, outcome.events)
        assert rig.table == before
        assert [type(event).__name__ for event in rig.events()[count:]] in (["Rejected"], [])


@pytest.mark.parametrize("situation", SITUATIONS)
def test_prompt_lamps_and_allowed_words_fit_the_situation(situation: str) -> None:
    rig = SITUATIONS[situation]()
    snap = rig.snapshot()
    assert snap.prompt.en
    assert snap.prompt.ru
    assert len(snap.allowed) == len(set(snap.allowed))
    assert set(snap.allowed) <= set(POSSIBLE) | {"sign_on"}
    for word in snap.allowed:  # nothing is offered that the situation refuses outright
        sometimes = ("redirect", "swap_hands", "exposed", "repeat", "undo", "fix_draw", "discarded")
        fitting = situation in POSSIBLE[word] or word in sometimes
        assert fitting, (situation, word)
    for language in ("en", "ru"):
        lines = prompts.display(rig.table, snap.prompt, rig.setup, language)
        assert len(lines) == 4
        assert all(len(line) <= prompts.WIDTH for line in lines)


def test_only_the_rows_of_the_table_lead_from_phase_to_phase() -> None:
    """Every pair that the table does not name leads nowhere."""
    rows = {(trigger, source) for trigger, source, _ in PHASE_TABLE}
    for trigger in {row[0] for row in PHASE_TABLE} - {"resume", "reset"}:
        for phase in Phase:
            assert (next_phase(phase, trigger) is not None) == ((trigger, phase) in rows)


TEXTS = [*prompts._TEXTS.values(), *prompts._CAUSES.values()]

# --- texts -----------------------------------------------------------------------------------------------------------

ARGS: dict[str, object] = {
    "command": "bet", "phase": "betting", "hand": 1, "version": 2, "box": 3, "boxes": 6, "lit": 2, "ante": 10, "low": 5,
    "high": 9, "bonus": 1, "owner": 1, "count": 2, "served": 4, "device": "shoe", "fee": 2, "what": "x", "offered": "1",
    "card": "As", "paid": 3, "missing": "y", "operator": "d1", "role": "dealer", "id": 4, "seconds": 10, "counted": 1,
    "said": "pair win",
    "side_bets": 2, "total": 3, "amount": 7, "hit": 1, "stake": 1, "jackpot": 2, "alarm": 3,
    "door": "enclosure",
    "deck": "R-1", "left": 4, "stakes": "5, 10",
    "when": "2024-01-01", "head": "ab12",
}  # fmt: skip


@pytest.mark.parametrize("why", Why)
def test_every_reason_speaks_two_languages(why: Why) -> None:
    rejection = Rejection(why, ARGS)
    assert rejection.text("en")
    assert rejection.text("ru")
    assert "{" not in rejection.text("en") + rejection.text("ru")
    assert any("а" <= letter <= "я" for letter in rejection.text("ru").lower()) or why is Why.BAD_ARGUMENT
    assert rejection.code == f"TC-{why.number:04d}"


def test_numbers_are_unique() -> None:
    reasons = [why.number for why in Why]
    steps = [number for number, _, _ in TEXTS]
    assert len(set(reasons + steps)) == len(reasons + steps)
    named = (Want.START, Want.SHUFFLE, Want.CARD, Want.ENTRY, Want.SUPERVISOR)  # these have several texts each
    assert set(prompts._TEXTS) >= {str(want) for want in Want if want not in named}
    assert set(prompts._CAUSES) == set(Cause)


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: str(text[0]))
def test_prompts_fit_the_display(text: tuple[int, str, str]) -> None:
    """Three lines of twenty beside the first: what does not fit would be cut off unread."""
    _, en, ru = text
    rig = Rig(setup=make_setup()).open()
    values = {"b": 6, "n": 2, "i": 5, "d": "x", "p": "ABCDEF-12345"}
    longest = [max(said, key=len) for said in zip(*prompts._REFUSES.values(), strict=True)]
    for language, words, why in zip(("en", "ru"), (en, ru), longest, strict=True):
        shown = words.format(**values, r=why)
        lines = prompts.display(rig.table, prompts.Prompt("", shown, shown), rig.setup, language)[1:]
        assert " ".join(line for line in lines if line) == shown


# --- on record -------------------------------------------------------------------------------------------------------


def test_refusals_are_recorded_and_repeats_counted() -> None:
    rig = Rig(setup=make_setup()).open()
    for _ in range(5):
        rig.refused(Why.NO_STAKE, cm.Start(), origin="keys")
    rig.refused(Why.NO_STAKE, cm.Start(), origin="socket")
    assert [(r.command, r.code, r.origin, r.count) for r in rig.events(ev.Rejected)] == [
        ("start", "TC-0505", "keys", 1),
        ("start", "TC-0505", "socket", 1),
    ]
    rig.service.tick()
    assert [(r.origin, r.count) for r in rig.events(ev.Rejected)][2:] == [("keys", 4)]
    rig.service.tick()
    assert len(rig.events(ev.Rejected)) == 3
    rig.refused(Why.NO_STAKE, cm.Start(), origin="keys")
    assert len(rig.events(ev.Rejected)) == 4


def test_every_reason_has_been_provoked() -> None:
    """By this folder's tests, each named in one of them."""
    from pathlib import Path  # noqa: PLC0415

    text = "".join(path.read_text("utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    missing = [
        why.name for why in Why if f"refused(Why.{why.name}," not in text and f"# provokes {why.name}" not in text
    ]
    assert missing == []


def test_commands_name_their_fields() -> None:
    for name, kind in cm.public_commands().items():
        assert msgspec.json.decode(msgspec.json.encode(sample(name, SITUATIONS["closed"]())), type=kind)
