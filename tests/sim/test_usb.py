"""The simulated USB bus over its socket, as two processes see it; and what the dealer's hands do with decks."""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import usb.core

from firmware_sim.deck_desk import FOREIGN, DeckDesk, wanted
from firmware_sim.errors import BenchError
from firmware_sim.faults import DECKS, Fault
from firmware_sim.shuffler_unit import PRODUCT, SERIAL, VENDOR
from firmware_sim.usb_backend import SOCKET_NAME, SOCKET_VARIABLE, SimBackend, get_backend
from firmware_sim.usb_link import UsbLink


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeckDesk]:
    made = DeckDesk(tmp_path, lambda _seconds, act: act())
    made.start()
    yield made
    made.stop()


def found(backend: SimBackend) -> usb.core.Device | None:
    device = usb.core.find(idVendor=VENDOR, idProduct=PRODUCT, backend=backend)
    assert device is None or isinstance(device, usb.core.Device)
    return device


def test_the_socket_lies_beside_the_pins(tmp_path: Path, desk: DeckDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SOCKET_VARIABLE, str(tmp_path / "gpio.sock"))
    device = found(get_backend())
    assert device is not None
    assert device.serial_number == SERIAL


def test_without_a_bench_the_bus_is_empty(tmp_path: Path) -> None:
    assert found(SimBackend(UsbLink(tmp_path / SOCKET_NAME))) is None


def test_one_program_at_a_time_and_its_end_gives_back(tmp_path: Path, desk: DeckDesk) -> None:
    links = [UsbLink(tmp_path / SOCKET_NAME) for _ in range(2)]
    first, second = (found(SimBackend(link)) for link in links)
    assert first is not None and second is not None
    usb.util.claim_interface(first, 0)
    with pytest.raises(usb.core.USBError) as caught:
        usb.util.claim_interface(second, 0)
    assert caught.value.errno == errno.EBUSY
    for sock in links[0]._free:
        sock.close()  # as the kernel does when a process ends
    until = time.monotonic() + 5
    while desk.unit.usb.claimed_by and time.monotonic() < until:
        time.sleep(0.01)
    usb.util.claim_interface(second, 0)


def test_every_fault_of_decks_does_something(desk: DeckDesk) -> None:
    for fault in sorted(DECKS):
        desk.inject(fault)
    with pytest.raises(BenchError):
        desk.inject(Fault.NOISE)


def test_a_wrong_deck_is_another_one_and_the_right_one_is_not_lost(desk: DeckDesk) -> None:
    desk.inject(Fault.DECK_WRONG)
    desk.put_in("R-1", 52)
    assert desk.unit.device.holds is not None
    assert desk.unit.device.holds.mark == FOREIGN
    desk.put_in("R-1", 52)
    assert (desk.unit.device.holds.mark, desk.unit.device.holds.count) == ("R-1", 52)


DECKS_SEEN = [{"mark": "R-1", "place": "play"}, {"mark": "B-2", "place": "aside"}]


@pytest.mark.parametrize(
    ("snap", "act"),
    [
        ({"expects": {"kind": "shuffle", "cause": "put_in", "place": "R-1"}}, ("put_in", "R-1")),
        ({"expects": {"kind": "shuffle", "cause": "take_out", "place": "R-1"}}, ("take_out", "R-1")),
        ({"expects": {"kind": "shuffle", "cause": "failed", "place": "R-1"}}, ("put_in", "R-1")),
        ({"expects": {"kind": "deck", "cause": "offered", "place": "X-9"}}, ("away", "X-9")),
        ({"expects": {"kind": "shuffle", "cause": "wait", "place": "R-1"}}, None),
        ({"phase": "betting", "expects": {"kind": "start"}, "decks": DECKS_SEEN}, ("put_in", "B-2")),
        ({"phase": "dealing", "expects": {"kind": "card"}, "decks": DECKS_SEEN}, None),
        ({"phase": "betting", "expects": {"kind": "start"}, "decks": []}, None),
    ],
)
def test_what_a_dealer_does_with_decks(snap: dict[str, object], act: tuple[str, str] | None) -> None:
    assert wanted(snap) == act
