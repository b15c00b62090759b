"""Sections of table.toml about shoe, shuffler and decks: ports, keys, how long a deck serves. Shapes and sense only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta, Struct

Wrong = tuple[str, str, str]  # key, what, allowed
REAL_BACKEND = "libusb1"
OneLine = Annotated[str, Meta(min_length=1, max_length=4096, pattern=r"^[^\x00-\x1f]*\Z")]
UsbNumber = Annotated[int, Meta(ge=1, le=0xFFFF)]


class ShoeSection(Struct, frozen=True, kw_only=True):
    """`key`: the file of the device's key, written by pairing. Without it the line is in clear."""

    port: OneLine
    baud: Annotated[int, Meta(ge=1200, le=4_000_000)] = 115_200
    key: OneLine | None = None
    unsealed: bool = False  # production takes a line in clear only where somebody has said so


class ShufflerSection(Struct, frozen=True, kw_only=True):
    """A shuffler, found by its USB identity. `key`: as of the shoe. `inspects`: it sees faces, not only cards."""

    vendor: UsbNumber
    product: UsbNumber
    serial: Annotated[str, Meta(min_length=1, max_length=32, pattern=r"^[\x20-\x7e]*\Z")]
    inspects: bool = True
    usb_backend: Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,31}\Z")] = REAL_BACKEND
    key: OneLine | None = None
    unsealed: bool = False  # production takes a line in clear only where somebody has said so


class DecksSection(Struct, frozen=True, kw_only=True):
    """0: no limit, never asked. `stub_count_hands`: where no shuffler counts, the stub is counted so often."""

    life_hands: Annotated[int, Meta(ge=0, le=100_000)] = 0
    life_hours: Annotated[int, Meta(ge=0, le=10_000)] = 0
    stub_count_hands: Annotated[int, Meta(ge=0, le=100)] = 0


def devices_wrong(shoe: ShoeSection | None, shuffler: ShufflerSection | None, production: bool) -> Iterator[Wrong]:
    """Production takes the real USB bus, and sealed lines unless somebody has said otherwise."""
    for name, section in (("shoe", shoe), ("shuffler", shuffler)):
        if section is not None:
            yield from _sealed(name, section, production)
    if production and shuffler is not None and shuffler.usb_backend != REAL_BACKEND:
        what = f"shuffler.usb_backend {shuffler.usb_backend!r} in production"
        yield "shuffler.usb_backend", what, f'give "{REAL_BACKEND}", or set table.mode to "bench"'


def _sealed(name: str, section: ShoeSection | ShufflerSection, production: bool) -> Iterator[Wrong]:
    if section.key is not None and section.unsealed:
        yield f"{name}.unsealed", f"{name}.key and {name}.unsealed contradict each other", "remove one of the two"
    if section.key is None and not section.unsealed and production:
        remedy = "name the key's file (`tablectl pair` writes it), or say unsealed = true and lock the cable away"
        yield f"{name}.key", f"missing key {name}.key in production", remedy
