"""Sections of table.toml for devices that a table can do without: discard tray, badges, overlay, printer."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta, Struct

Text = Annotated[str, Meta(min_length=1, max_length=4096, pattern=r"^[^\x00-\x1f]*\Z")]
Baud = Annotated[int, Meta(ge=1200, le=4_000_000)]


class TraySection(Struct, frozen=True, kw_only=True):
    """A plain reader at the discard tray, with a code table as of [reader]."""

    port: Text
    codes: Text
    baud: Baud = 9600


class Encoding(enum.StrEnum):
    """What a printer takes for text."""

    ASCII = "ascii"
    CP866 = "cp866"
    CP1251 = "cp1251"
    UTF8 = "utf-8"


class OverlaySection(Struct, frozen=True, kw_only=True):
    """The surveillance overlay: a serial device, or tcp://host:port that the table calls."""

    port: Text
    baud: Baud = 9600


class PrinterSection(Struct, frozen=True, kw_only=True):
    """A receipt printer, on a serial device or at tcp://host:port."""

    port: Text
    baud: Baud = 9600
    encoding: Encoding = Encoding.ASCII


class BadgeSection(Struct, frozen=True, kw_only=True):
    """A badge reader. `pattern` matches a whole line and names its group `badge`."""

    port: Text
    baud: Baud = 9600
    pattern: Text = "(?P<badge>[!-~]{4,64})"


def wrong_pattern(pattern: str, group: str) -> Iterator[str]:
    """What is wrong with a regular expression that must name this group."""
    try:
        groups = re.compile(pattern).groupindex
    except re.error as error:
        yield f"is no regular expression, {error}"
        return
    if group not in groups:
        yield f"has no group (?P<{group}>...)"
