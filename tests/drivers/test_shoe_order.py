"""The shoe driver's numbers: order, repeats, gaps, losses."""

from __future__ import annotations

import pytest
from fake_shoe import MS, FakeShoe, Table
from hypothesis import example, given, settings
from hypothesis import strategies as st

from drivers.events import CardRead, DeviceNote, EventsLost
from drivers.session_state import State
from drivers.wire import messages as m
from drivers.wire.cards import CARD_TEXT
from drivers.wire.framing import encode_frame
from drivers.wire.link import Link, Side


def linked(*, last_event: int = 0, cards: int = 0) -> Table:
    device = FakeShoe()
    device.cards(*range(cards))
    table = Table(device, last_event=last_event)
    table.plug()
    return table


def frame(event_no: int, code: int, *, again: bool = False) -> bytes:
    return Link(Side.DEVICE).send(m.Event(event_no, m.EventKind.CARD, code, again))


@pytest.mark.parametrize("gap_ms", [10, 60, 100, 140])
@pytest.mark.parametrize("chunk", [0, 1])
def test_f50_cards_close_together_are_neither_summed_nor_split(gap_ms: int, chunk: int) -> None:
    """No pause ends a card and none joins two: each is an event with its own number, however its bytes come."""
    table = linked()
    table.chunk = chunk
    for code in (0, 0, 0, 51, 51):
        table.device.cards(code)
        table.run(gap_ms)
    table.run(500)
    assert [event.card for event in table.told(CardRead) if isinstance(event, CardRead)] == ["2c"] * 3 + ["As"] * 2


def test_everything_that_happens_is_told_in_order() -> None:
    table = linked()
    device = table.device
    device.happen(m.EventKind.DECK_LOADED, 52)
    device.happen(m.EventKind.DECK_LOADED, m.COUNT_UNKNOWN)
    device.happen(m.EventKind.CARD, 52)
    device.happen(m.EventKind.CARD_UNREAD, m.UnreadReason.TOO_FAST)
    for kind in list(m.EventKind)[3:9]:
        device.happen(kind)
    table.run(500)
    assert table.said[1:5] == [
        DeviceNote("shoe", 1, "deck_loaded", "52"),
        DeviceNote("shoe", 2, "deck_loaded", "unknown"),
        CardRead("shoe", 3, "JK", trusted=False),  # its line is in clear
        CardRead("shoe", 4, None, "too_fast", trusted=False),
    ]
    kinds = [event.kind for event in table.told(DeviceNote)[2:] if isinstance(event, DeviceNote)]
    assert kinds == ["lid_open", "lid_closed", "jam", "double_feed", "shoe_empty", "cut_card"]
    assert table.device.acked == 10


def test_a_kind_that_nobody_knows_here_is_a_note_and_acknowledged() -> None:
    table = linked()
    for kind in (0x1C, 0xFF):
        table.device.happen(kind, detail=b"\x33")
    table.device.cards(51)
    table.run(500)
    notes = [DeviceNote("shoe", 1, "kind_1c", "unknown kind 1c"), DeviceNote("shoe", 2, "kind_ff", "unknown kind ff")]
    assert table.said[1:] == [*notes, CardRead("shoe", 3, "As", trusted=False)]
    assert table.device.acked == 3


def test_f1_byte_by_byte_and_in_pieces_it_is_the_same_table() -> None:
    whole, single = linked(cards=20), linked(cards=20)
    single.chunk = 1
    for table in (whole, single):
        table.run(3000)
    assert whole.said == single.said
    assert whole.journal == single.journal
    assert "noise" not in single.codes()


def test_f1_half_a_frame_waits_for_its_other_half() -> None:
    table = linked(last_event=41)
    table.device.log_last = 41
    table.run(100)
    data = frame(42, 22)
    table.to_host = lambda _: b""
    table.give(data[:9])
    table.run(300)
    table.give(data[9:])
    assert table.told(CardRead) == [CardRead("shoe", 42, "7h", trusted=False)]
    assert table.driver.link.noise == 0


def test_f6_a_damaged_number_is_noise_and_an_old_number_is_passed_on() -> None:
    table = linked(cards=42)
    table.run(3000)
    table.said.clear()
    bad = bytearray(frame(43, 5))
    bad[6] ^= 1
    table.give(bytes(bad))
    assert table.codes() == ["noise"]
    table.device.cards(5)
    table.run(100)
    assert table.told(CardRead) == [CardRead("shoe", 43, CARD_TEXT[5], trusted=False)]
    table.give(frame(4, 51))
    assert table.differs == [4], "the table sees it and compares"
    assert table.journal[4] == CARD_TEXT[3]


def test_f7_a_lost_acknowledgement_is_given_again_and_counts_once() -> None:
    table = linked()
    table.run(100)
    table.to_device = lambda _: b""  # neither ACK nor POLL arrives
    table.device.cards(51)
    table.run(150)
    assert table.journal == {1: "As"}
    assert table.device.acked == 0
    table.to_device = lambda data: data
    table.run(500)
    assert table.device.acked == 1
    assert table.journal == {1: "As"}
    table.give(frame(1, 50, again=True))
    assert table.differs == [1]


def test_no_acknowledgement_before_the_journal_has_it() -> None:
    table = linked()
    table.journalling = False
    table.device.cards(51, 50)
    table.run(1000)
    assert table.device.acked == 0
    repeats = [event for event in table.told(CardRead) if isinstance(event, CardRead) and event.event_no == 1]
    assert len(repeats) >= 3, "the device repeats it until the disk has it"
    table.journalling = True
    table.run(2000)
    assert table.journal == {1: "As", 2: "Ah"}
    assert table.device.acked == 2


def test_while_it_is_held_polls_acknowledge_nothing_and_nothing_else_is_said() -> None:
    table = Table(FakeShoe(), last_event=2)
    table.device.cards(51)
    table.driver.enable_deal(True)
    table.plug()
    table.run(3000)
    assert table.driver.state is State.HELD
    assert {type(item) for item in table.device.taken} == {m.Poll}
    assert {item.acked for item in table.device.taken if isinstance(item, m.Poll)} == {0}


def test_a_gap_is_asked_for_and_filled() -> None:
    table = linked()
    table.run(100)
    table.device.cards(1, 2, 3, 4)
    drop = [True]

    def lose_first(data: bytes) -> bytes:
        out = data
        if drop and len(data) > 40:
            drop.clear()
            first = data.index(frame(1, 1))
            out = data[:first] + data[first + len(frame(1, 1)) :]
        return out

    table.to_host = lose_first
    table.run(2000)
    assert not drop
    assert list(table.journal.items()) == [(n, CARD_TEXT[n]) for n in range(1, 5)]
    assert any(isinstance(item, m.Resend) for item in table.device.taken)


def test_what_the_device_no_longer_has_is_lost_by_number() -> None:
    table = linked(last_event=2, cards=50)
    for event_no in range(1, 41):
        table.device.log.pop(event_no)
    table.run(3000)
    assert table.told(EventsLost) == [EventsLost("shoe", 3, 40)]
    assert list(table.journal) == list(range(41, 51))
    lost = table.said.index(EventsLost("shoe", 3, 40))
    assert not any(isinstance(event, CardRead) for event in table.said[:lost])


def test_a_log_that_is_wholly_gone_is_lost_too() -> None:
    table = linked(last_event=2, cards=6)
    table.device.log.clear()
    table.run(3000)
    assert table.told(EventsLost) == [EventsLost("shoe", 3, 6)]
    table.device.cards(9)
    table.run(500)
    assert table.journal == {7: CARD_TEXT[9]}


def test_lost_counts_only_as_an_answer_and_never_beyond_the_log() -> None:
    table = linked(last_event=2, cards=2)
    table.run(100)
    device = Link(Side.DEVICE)
    table.give(device.send(m.Lost(3, 9)))
    table.give(frame(9, 1))
    table.give(device.send(m.Lost(3, 8)))
    table.give(device.send(m.Lost(4, 8)))
    assert table.told(EventsLost) == []
    assert table.told(CardRead) == []


def test_f20_cards_of_the_time_between_two_runs_come_once() -> None:
    table = linked(last_event=9, cards=11)
    table.journal = {9: CARD_TEXT[8]}
    table.run(200)
    table.device.cards(11)
    table.run(200)
    assert list(table.journal) == [9, 10, 11, 12]
    seen = [event.event_no for event in table.told(CardRead) if isinstance(event, CardRead)]
    assert seen == [10, 11, 12]
    table.give(frame(9, 8, again=True))
    table.run(100)
    assert table.differs == []
    assert table.device.acked == 12


def test_f16_a_hole_left_by_another_reader_is_seen_and_healed() -> None:
    table = linked()
    table.run(100)
    table.to_host = lambda data: data[: len(data) // 2]  # a stranger takes the other half
    table.device.cards(*range(10))
    table.run(2000)
    table.to_host = lambda data: data
    table.run(4000)
    assert list(table.journal.items()) == [(n + 1, CARD_TEXT[n]) for n in range(10)]
    assert "noise" in table.codes()


def test_f49_glued_frames_invent_nothing_and_come_again() -> None:
    table = linked()
    table.run(100)
    table.device.cards(22, 45)
    glued = frame(1, 22)[:-1] + frame(2, 45)
    once = [True]

    def glue(data: bytes) -> bytes:
        if once and len(data) > 30:
            once.clear()
            return glued
        return data

    table.to_host = glue
    table.run(2000)
    assert table.codes().count("noise") == 1
    assert table.journal == {1: "7h", 2: "Kd"}


def test_resend_is_asked_twice_a_second_at_most() -> None:
    table = linked(last_event=2, cards=2)
    table.run(100)
    table.to_device = lambda _: b""
    table.written.clear()
    for _ in range(100):
        table.give(frame(9, 1) + frame(10, 2))
        table.run(20)
    sent = Link(Side.DEVICE).receive(bytes(table.written))
    assert sum(isinstance(item, m.Resend) for item in sent) <= 5


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 9), max_size=200), st.integers(1, 30))
def test_whatever_the_line_does_the_journal_is_the_log(hits: list[int], cards: int) -> None:
    """Each step one reply is passed, dropped, damaged, doubled or preceded by junk; then the line is good again."""
    table = linked(cards=cards)
    plan = iter(hits)

    def disturb(data: bytes) -> bytes:
        match next(plan, 9):
            case 0:
                return b""
            case 1:
                return bytes([data[0] ^ 4]) + data[1:] if data else b"\x07"
            case 2:
                return data + data
            case 3:
                return b"\x13\x37" + data
            case 4:
                return data[:-1]
            case _:
                return data

    table.to_host = disturb
    table.run(2000)
    table.to_host = lambda data: data
    table.run(9000)
    assert table.journal == {n + 1: CARD_TEXT[n] for n in range(cards)}
    assert table.differs == []
    assert table.told(EventsLost) == []


@given(st.lists(st.binary(max_size=60).map(lambda b: encode_frame(b) if len(b) > 4 else b), max_size=20))
def test_no_bytes_make_a_card_out_of_nothing(stream: list[bytes]) -> None:
    table = linked()
    table.run(100)
    for data in stream:
        table.give(data)
        table.now_ns += MS
    assert table.told(CardRead) == []


@settings(max_examples=60, deadline=None)
@example(acts=["card", "disk", "run", "card"])
@given(
    st.lists(st.sampled_from(["card", "reboot", "drop", "deaf", "mute", "stall", "run", "disk", "deal"]), max_size=40)
)
def test_whatever_happens_to_the_device_the_journal_is_the_log(acts: list[str]) -> None:
    """Restarts, drops, one-way silences, a full disk and a host that is held up, in any order."""
    table = linked()
    for act in acts:
        match act:
            case "card":
                table.device.cards((table.device.log_last * 7) % 53)
            case "reboot":
                table.device.power_up(silent_until_ns=table.now_ns + 400 * MS)
            case "drop":
                table.unplug()
                table.run(50)
                table.plug()
            case "deaf" | "mute":
                way = "to_device" if act == "deaf" else "to_host"
                setattr(table, way, lambda _: b"")
                table.run(700)
                setattr(table, way, lambda data: data)
            case "stall":
                table.now_ns += 1500 * MS
            case "disk":
                table.journalling = not table.journalling
            case "deal":
                table.driver.enable_deal(not table.driver._level.wanted)
            case _:
                table.run(300)
    table.journalling = True
    table.run(15_000)
    log = {event_no: CARD_TEXT[value] for event_no, (_, value, _) in table.device.log.items()}
    assert table.journal == log
    assert list(table.journal) == sorted(table.journal)
    assert table.differs == []
    assert table.device.deal == table.driver._level.wanted
