"""Plain readers: what they print becomes a card for certain, or a doubt; never a guess."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from drivers.events import CardRead, DeviceFault, DeviceLost, DeviceReady, DoubtfulRead
from drivers.reader_ascii import MAX_RAW, MAX_WAITING, PlainReader
from drivers.reader_codes import CodeTable, CodeTableError, check, parse_codes, toml_of
from drivers.text_lines import MAX_LINE, LineCutter, Printed, Torn
from drivers.wire.cards import CARD_TEXT

MS = 1_000_000
CODES = {f"{rank}{suit}": f"{rank}{suit.lower()}" for rank in "23456789TJQKA" for suit in "CDHS"}
TABLE = CodeTable(pattern="CARD,(?P<code>[0-9A-Za-z ]*)", ignore="SHOE v.*", codes=CODES)


class Line:
    """A reader whose events are on disk at once, unless the disk takes none."""

    def __init__(self, table: CodeTable = TABLE, last: int = 0) -> None:
        self.reader = PlainReader("reader", table, last)
        self.now, self.disk = 0, True
        self.told: list[object] = []
        self.take(self.reader.opened(0))
        self.told.clear()

    def take(self, events: list[object]) -> list[object]:
        self.told += events
        for event in events:
            if self.disk and isinstance(event, CardRead | DoubtfulRead):
                self.reader.acknowledge(event.event_no)
        return events

    def send(self, data: bytes, after_ms: int = 400) -> list[object]:
        self.now += after_ms * MS
        return self.take(self.reader.receive(data, self.now))

    def wait(self, ms: int) -> list[object]:
        self.now += ms * MS
        due = self.reader.next_tick_ns
        return self.take(self.reader.tick(self.now)) if due is not None and due <= self.now else []

    @property
    def cards(self) -> list[str]:
        return [str(event.card) for event in self.told if isinstance(event, CardRead)]

    @property
    def doubts(self) -> list[str]:
        return [event.reason for event in self.told if isinstance(event, DoubtfulRead)]


def test_a_card_is_numbered_by_the_host_and_marked_untrusted() -> None:
    line = Line(last=41)  # the opening itself took number 42
    assert line.send(b"CARD,7H\r\n") == [CardRead("reader", 43, "7h", trusted=False)]


def test_a_line_in_two_parts_is_one_card_in_any_cut() -> None:
    """F1: half a line is never a line, however late the rest comes (here 300 ms)."""
    line = Line()
    line.send(b"CARD,7")
    assert line.wait(300) == []
    line.send(b"H\nCARD,KD\r\n", after_ms=0)
    whole = b"CARD,7H\nCARD,KD\r\n"
    slow = Line()
    for at in range(len(whole)):
        slow.send(whole[at : at + 1], after_ms=1)
    assert line.cards == slow.cards == ["7h", "Kd"]
    assert line.doubts == slow.doubts == []


def test_two_scans_glued_together_are_no_card() -> None:
    """F49: the end of a line is lost."""
    line = Line()
    line.send(b"CARD,7HCARD,KD\n")
    assert (line.cards, line.doubts) == ([], ["unknown_code"])


def test_a_line_without_an_end_is_told_once() -> None:
    """F49: and nothing follows it."""
    line = Line()
    line.send(b"CARD,7H")
    assert line.wait(999) == []
    line.wait(1)
    assert (line.cards, line.doubts) == ([], ["unfinished"])


def test_a_card_scanned_again_at_once_is_one_card() -> None:
    """F49, F50: a scanner that repeats itself; every repeat is counted, and told once a burst."""
    line = Line()
    line.send(b"CARD,7H\nCARD,7H\n")
    line.send(b"CARD,7H\n", after_ms=149)
    line.send(b"CARD,KD\n", after_ms=20)
    line.send(b"CARD,7H\n", after_ms=100)  # two cards in the field of one aerial
    assert line.cards == ["7h", "Kd"]
    assert [event for event in line.told if isinstance(event, DeviceFault)] == [
        DeviceFault("reader", "double_scan", "1 so far")
    ]


def test_a_doubt_between_two_prints_of_one_scan_makes_no_second_card() -> None:
    """F49: what one label gives within `repeat_ms` is one card, whatever the line did meanwhile."""
    line = Line()
    line.send(b"CARD,7H\nCARD,7\nCARD,7H\n")
    assert (line.cards, line.doubts) == (["7h"], ["unknown_code"])
    line.send(b"CARD,7H\n", after_ms=150)
    assert line.cards == ["7h", "7h"]


def test_the_same_card_later_is_told_as_a_card_again() -> None:
    """F52: whether it may be is the table's business (deck fault)."""
    line = Line()
    line.send(b"CARD,7H\n")
    line.send(b"CARD,7H\n", after_ms=150)
    assert line.cards == ["7h", "7h"]


@pytest.mark.parametrize("code", ["10C", "tc", "0c", "1c", "14s", "7H ", "", "7X", "TH\x00", "\xff7H"])
def test_whatever_is_not_in_the_table_is_unknown_with_its_bytes(code: str) -> None:
    """F53: a strict table; the raw bytes stand in the doubt, and in no repr."""
    line = Line()
    raw = f"CARD,{code}".encode("latin-1")
    (doubt,) = line.send(raw + b"\n")
    assert doubt == DoubtfulRead("reader", 2, "unknown_code", raw[:MAX_RAW].hex())
    assert raw.hex() not in repr(doubt)


def test_a_banner_is_no_scan() -> None:
    """F9: a reader that restarts and says so."""
    line = Line()
    assert line.send(b"SHOE v1.2\r\n") == []


def test_a_reader_that_was_away_may_have_missed_cards() -> None:
    """F20: nobody knows whether any passed; every opening says so. Its loss is told once for each reason."""
    reader = PlainReader("reader", TABLE, 9)
    opened = reader.opened(0)
    assert opened == [DeviceReady("reader", "READER/ascii", "", "", "", 0, 0), DoubtfulRead("reader", 10, "away", "")]
    reader.acknowledge(10)
    assert reader.receive(b"CARD,7", 1) == []
    gone = reader.closed("device gone", 2)
    assert [type(event) for event in gone] == [DoubtfulRead, DeviceLost]
    assert reader.closed("device gone", 3) == []
    assert reader.opened(4)[1].event_no == 12
    assert reader.closed("device gone", 5) == [DeviceLost("reader", "device gone")]
    assert (reader.name, reader.outgoing()) == ("reader", b""), "a plain reader is never spoken to"


def test_while_the_deal_goes_on_a_burst_of_doubts_is_told_once() -> None:
    """The loop states the level after every event: only a new deal begins a new burst."""
    line = Line()
    for _ in range(2):
        for _ in range(5):
            line.reader.enable_deal(True)
            line.send(b"CARD,??\n", after_ms=1)
        line.reader.enable_deal(False)
    assert line.doubts == ["unknown_code", "unknown_code"]


def test_where_people_say_the_count_goes_on_it_goes_on() -> None:
    line = Line()
    line.disk = False
    line.send(b"CARD,7H\n")
    line.reader.adopt(40)
    assert line.reader.next_tick_ns is None, "nothing waits any more"
    assert line.send(b"CARD,KD\n") == [CardRead("reader", 41, "Kd", trusted=False)]


def test_a_flood_of_junk_is_one_doubt_and_bounded_memory() -> None:
    """F8, F80: lines without end, lines without sense; after the next deal a doubt is told at once."""
    line = Line()
    for _ in range(2000):
        line.send(b"\x00\xfe" * 40 + b"\n", after_ms=1)
    assert line.doubts == ["too_long"]
    line.send(b"x" * 1_000_000, after_ms=1)
    assert line.doubts == ["too_long"]
    line.reader.enable_deal(False)
    line.reader.enable_deal(True)
    line.send(b"\nCARD,??\n", after_ms=1)
    assert line.doubts == ["too_long", "unknown_code"]
    assert line.send(b"CARD,7H\n") == [CardRead("reader", 4, "7h", trusted=False)]


def test_cards_that_the_disk_refused_come_again_in_order() -> None:
    """Not on disk is not acknowledged: told again, and once on disk never again."""
    line = Line()
    line.disk = False
    line.send(b"CARD,7H\n"), line.send(b"CARD,KD\n", after_ms=1)
    first = list(line.told)
    assert line.reader.next_tick_ns == line.now + 499 * MS
    assert line.reader.tick(line.now + 498 * MS) == [], "twice a second, no more"
    assert line.wait(499) == first
    assert line.reader.tick(line.now + 499 * MS) == []
    line.disk = True
    assert line.wait(500) == first
    assert line.reader.next_tick_ns is None
    assert line.send(b"CARD,2C\n") == [CardRead("reader", 4, "2c", trusted=False)]


def test_more_cards_than_can_wait_end_in_a_doubt() -> None:
    line = Line()
    line.disk = False
    for card in [*CODES, *CODES]:
        line.send(f"CARD,{card}\n".encode())
    line.disk = True
    waiting = line.wait(500)
    assert [type(event) for event in waiting] == [*([CardRead] * MAX_WAITING), DoubtfulRead]
    assert [event.event_no for event in waiting] == list(range(2, MAX_WAITING + 3))


def test_lines_of_any_length_are_cut() -> None:
    cutter = LineCutter(b"\x03", 1000)
    assert cutter.feed(b"a" * MAX_LINE + b"\x03\x03", 0) == [Printed(b"a" * MAX_LINE)]
    assert cutter.feed(b"b" * (MAX_LINE + 1) + b"rest\x03c\x03", 0) == [
        Torn("too_long", b"b" * MAX_LINE),
        Printed(b"c"),
    ]
    assert "aaa" not in repr(Printed(b"aaa")) + repr(Torn("too_long", b"aaa"))


# --- code tables


def test_a_table_is_written_and_read_again() -> None:
    table = CodeTable(pattern=r'"\\(?P<code>.+)"', ends="\x03", codes={'A"1': "As", "B\\2": "Kd"})
    assert parse_codes(toml_of(table)) == table
    assert parse_codes(b"") == CodeTable()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('codes = {"01" = "Xx"}', "not a card"),
        ('codes = {"01" = "10c"}', "codes"),
        ('codes = {"1" = "As", "11" = "Kd"}', "code 1 is the beginning or the end of code 11"),
        ('codes = {"91" = "As", "1" = "Kd"}', "code 1 is the beginning or the end of code 91"),
        ('pattern = "("', "pattern is no regular expression"),
        ('pattern = "[0-9]+"', "no group"),
        ('repeat = 3', "repeat"),
        ('ends = ""', "ends"),
        ("codes = 3", "codes"),
        ("codes = [", "nvalid"),
        ('codes = {"a b" = "As"}', "codes"),
    ],
)  # fmt: skip
def test_a_table_that_could_be_misread_is_refused(text: str, said: str) -> None:
    """F49, F53: no code may begin or end another one, or a torn or glued scan could be taken for it."""
    with pytest.raises(CodeTableError, match=said):
        parse_codes(text.encode())


def test_what_lacks_is_named() -> None:
    table = CodeTable(codes={code: card for code, card in CODES.items() if card not in ("2c", "As")})
    check(table)
    assert table.missing(CARD_TEXT) == ("2c", "As", "JK")


# --- whatever the line brings


def test_another_device_on_the_port_gives_no_card() -> None:
    """F12: the frames of a shoe or a shuffler, F22: an echo of what nobody sent."""
    line = Line()
    line.send(bytes.fromhex("00020141de58d9d76a05030000") * 40)
    line.send(b"AT\r\r\nERROR\r\n")
    assert line.cards == []
    assert line.doubts


@pytest.mark.parametrize("seed", range(20))
def test_any_bytes_in_any_cut_give_the_same_cards_and_bounded_memory(seed: int) -> None:
    """Fuzz: random bytes among scans; one chunk equals byte by byte; nothing but the table's codes becomes a card."""
    random = Random(seed)
    scans = [f"CARD,{card}\n".encode() for card in random.sample(list(CODES), 30)]
    junk = [random.randbytes(random.randrange(90)) for _ in range(30)]
    pieces = random.sample(scans + junk, 60)
    table = msgspec.structs.replace(TABLE, repeat_ms=0)
    whole, slow = Line(table), Line(table)
    data = b"".join(pieces)
    whole.send(data)
    for at in range(len(data)):
        slow.send(data[at : at + 1], after_ms=0)
    assert whole.cards == slow.cards
    assert set(whole.cards) <= set(CODES.values())
    assert len(whole.reader._lines._held) <= MAX_LINE
