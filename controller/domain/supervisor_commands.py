"""What a supervisor sets right: disputes that outlive their hand, cards that lie at another place. Wishes, as ever.

Found in `commands` as well.
"""

from __future__ import annotations

from controller.domain.device_commands import Command, Said


class NextHand(Command, frozen=True, kw_only=True, tag="next_hand"):
    """The held boxes stay disputed; the hand ends as recorded and the next one begins."""


class CloseDispute(Command, frozen=True, kw_only=True, tag="close_dispute"):
    """How a dispute of an earlier hand ended. `paid`: what the player got in the end (default: as recorded)."""

    hand: int
    box: int
    paid: int | None = None
    reason: Said = "as recorded"


class LastHands(Command, frozen=True, kw_only=True, tag="last_hands"):
    """So many hands are played yet, the one that stands open for bets among them; 0: no end is announced any more."""

    number: int


class SwapHands(Command, frozen=True, kw_only=True, tag="swap_hands"):
    """The dealt cards of two boxes lie at each other's place."""

    box: int
    target: int


class Reassign(Command, frozen=True, kw_only=True, tag="reassign"):
    """At a turned box lies another card than recorded; `place`: box or draw, `index` from 1."""

    box: int
    index: int
    card: Said
    place: Said = "box"


class Exposed(Command, frozen=True, kw_only=True, tag="exposed"):
    """A face-down card was seen: of this box, or (0) of the dealer. The house's procedure follows."""

    box: int = 0


class Redirect(Command, frozen=True, kw_only=True, tag="redirect"):
    """The last drawn card lies at `target`, not at the lit box; nobody looked."""

    box: int
    target: int


class CorrectStake(Command, frozen=True, kw_only=True, tag="correct_stake"):
    """The chips on the felt govern."""

    box: int
    ante: int
    bonus: int | None = None


class CorrectMeter(Command, frozen=True, kw_only=True, tag="correct_meter"):
    """The progressive stands at another amount from now on (decimal text); without `reserve` that stays."""

    meter: Said
    reserve: Said = ""
    reason: Said
