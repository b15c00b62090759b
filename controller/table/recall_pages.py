"""The last hands as pages of the text display, for a supervisor at the key switch. Public facts alone: others look."""

from __future__ import annotations

from typing import Any

from controller.table.prompts import WIDTH

Page = tuple[str, str, str]


def pages(hands: list[dict[str, Any]]) -> tuple[Page, ...]:
    """Hands as `recall` lists them, the newest first: each begins a page, which says RECALL."""
    return tuple(page for hand in hands for page in _pages(hand))


def _pages(hand: dict[str, Any]) -> list[Page]:
    title = f"RECALL {hand['hand']} {hand['outcome']}".upper()
    told = [f"D {hand['dealer_cards']}"] if hand["dealer_cards"] else []
    told += [f"JOKER {hand['joker']}"] if hand["joker"] else []
    told += _packed([f"{box}:{net:+}" for box, net in hand["boxes"].items()])
    told += [f"{hand['overrides']} OVERRIDES"] if hand["overrides"] else []
    told = told or ["NOTHING SHOWN"]
    lines = [line[:WIDTH] for line in (*told, "")]
    return [(title[:WIDTH], lines[at], lines[at + 1]) for at in range(0, len(told), 2)]


def _packed(words: list[str]) -> list[str]:
    """As many to a line as it holds."""
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + 1 + len(word) <= WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
