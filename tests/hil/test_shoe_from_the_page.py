"""A shoe that somebody wrote from docs/protocol.md alone deals a hand to the real daemon, and the hand audits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from firmware_sim.demo_files import SHOE
from tests.hil.rig import Rig, Snapshot, devices_ready
from tests.lab.shoe_from_the_page import (
    CARD,
    CARD_UNREAD,
    CUT_CARD,
    DECK_LOADED,
    ShoeOnPty,
    card_code,
)

pytestmark = pytest.mark.hil
PIN_OF = {"dealer": "1111", "supervisor": "2222", "witness": "3333"}
BOX_1, BOX_3, DEALER = (
    ["As", "Ah", "7c", "4d", "9s"],
    ["2c", "5d", "8h", "??", "Qd"],
    ["Kd", "Kh", "3c", "6s", "Th"],
)
DEAL = [card for cards in zip(BOX_1, BOX_3, DEALER, strict=True) for card in cards]
LOST_ACK, LOST_EVENT, RESTART = 3, 8, 10  # before, with and after which card of the deal


@pytest.fixture(params=[True, False], ids=["sealed", "clear"])
def sealed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def rig() -> Rig:
    return Rig("oasis_ru", seed=3)


@pytest.fixture
def shoe(rig: Rig, sealed: bool) -> Iterator[ShoeOnPty]:
    """The shoe on its own port, and the table that is told of this port."""
    shoe = ShoeOnPty(rig.folder / "shoe-memory")
    trust = 'key = "page.key"' if sealed else "unsealed = true"
    text = rig.config.read_text("utf-8")
    assert SHOE in text
    rig.config.write_text(text.replace(SHOE, f'[shoe]\nport = "{shoe.port}"\n{trust}\n'), "utf-8")
    with rig:
        yield shoe
    shoe.close()


def say(rig: Rig, name: str, *args: str, who: tuple[str, ...] = (), call: tuple[str, ...] = ("do",)) -> None:
    """`tablectl do NAME ...`, or another call of tablectl, by these people."""
    people = [word for one in who for word in ("--as", one)]
    pins = [PIN_OF[one] for one in who]
    done = rig.tablectl(*call, name, *args, *people, "--config", str(rig.config), pins=pins)
    assert done.returncode == 0, (name, done.stdout, done.stderr)


def draw(shoe: ShoeOnPty, card: str) -> None:
    if card == "??":
        shoe.happened(CARD_UNREAD, b"\x02")
    else:
        shoe.happened(CARD, bytes([card_code(card)]))


def drawn(rig: Rig) -> int:
    return len(rig.records("CardDealt"))


def deal_card(rig: Rig, shoe: ShoeOnPty, number: int) -> None:
    """The next card, with what goes wrong at it; until it is on record."""
    rig.wait_expects("card")
    shoe.shoe.lose_host = number == LOST_ACK
    shoe.shoe.lose_event = number == LOST_EVENT
    draw(shoe, DEAL[number - 1])
    if number == LOST_EVENT:
        shoe.happened(CUT_CARD)  # a number beyond the hole: the host asks for the card again
        shoe.until(lambda: shoe.shoe.resends == 1)
    if number == LOST_ACK:
        shoe.until(lambda: shoe.shoe.again == 1)
    rig.wait(lambda _: drawn(rig) == number)
    if number == RESTART:
        shoe.restart()


def settle(rig: Rig) -> None:
    say(rig, "bet", "box=1")
    say(rig, "bet", "box=3")
    say(rig, "reveal")
    say(rig, "turned", "box=3")
    say(rig, "enter_card", "card=Jc", "box=3", who=("supervisor",))
    say(rig, "paid", "box=3")
    say(rig, "turned", "box=1")
    say(rig, "discarded", "box=1", "cards=9s")
    say(rig, "discard_check", "box=1", who=("supervisor",))
    say(rig, "paid", "box=1")


def test_a_shoe_written_from_the_page_deals_a_hand_that_audits(rig: Rig, shoe: ShoeOnPty, sealed: bool) -> None:
    rig.spawn()
    rig.wait(lambda snap: snap["devices"].get("board") == "ready")
    if sealed:
        shoe.shoe.set_switch()
        say(rig, "shoe", who=("supervisor", "witness"), call=("pair",))
        assert rig.records("DevicePaired")[-1]["data"]["key_id"] == shoe.key_id
    rig.wait(devices_ready)
    shoe.happened(DECK_LOADED, b"\x34\x00")
    say(rig, "open_table", who=("dealer", "supervisor"))
    say(rig, "stake", "box=1", "ante=1000")
    say(rig, "stake", "box=3", "ante=1000")
    say(rig, "start")
    for number in range(1, len(DEAL) + 1):
        deal_card(rig, shoe, number)
    say(rig, "exchange", "box=1", "count=1")
    draw(shoe, "Ac")
    rig.wait(lambda snap: snap["expects"] == {"kind": "decision", "box": 1} and drawn(rig) == len(DEAL) + 1)
    settle(rig)
    hand_is_right(rig.wait(lambda snap: bool(snap["last_hand"]))["last_hand"])
    each_number_once(rig, sealed)
    assert rig.stop()[0] == 0
    rig.audit()


def hand_is_right(last: Snapshot) -> None:
    first, third = last["boxes"]
    assert (last["outcome"], last["dealer"]) == ("settled", DEALER)
    assert (first["dealt"], first["drawn"], first["answer"]["net"]) == (BOX_1, ["Ac"], 6000)
    assert third["dealt"] == ["2c", "5d", "8h", "Jc", "Qd"]


def each_number_once(rig: Rig, sealed: bool) -> None:
    """Deck, sixteen cards and the cut card; the shoe was there twice, the second time after its restart."""
    told = [record["data"]["event_no"] for record in rig.records() if record["data"].get("event_no")]
    assert sorted(told) == list(range(1, 19))
    ups = [record["data"] for record in rig.records("DeviceUp") if record["data"]["device"] == "shoe"]
    assert [up["sealed"] for up in ups] == [sealed, sealed]
    assert len({up["boot_id"] for up in ups}) == 2
