"""What to do about a refusal, in one sentence each (English; docs/table.md has the same by number)."""

from __future__ import annotations

from controller.domain.rejections import Why

LOOK = "look at the prompt (`tablectl status`) and do the one step that it names"

REMEDIES: dict[Why, str] = {
    Why.STALE: "look again, then give the command for what you see now",
    Why.NO_SUCH_BOX: "name a box of this table",
    Why.NOT_THIS_BOX: "act at the lit box first",
    Why.NO_STAKE: "put a box in, then press START",
    Why.STAKE_RANGE: "lay an ante within the plate",
    Why.BONUS_RANGE: "lay a smaller bonus",
    Why.BONUS_SHARE: "lay one of the stakes that the jackpot names",
    Why.NO_BONUS: "take the bonus chips back",
    Why.NO_JACKPOT: "take the jackpot chips back",
    Why.TOO_MANY_OPEN: "make a box of this player blind, or take it out",
    Why.UNEQUAL: "lay the same ante on all boxes of this player",
    Why.DECK_SHORT: "take boxes out until the deck serves them all",
    Why.NOT_PAIRED: "close the table, set the switch inside the device, then `tablectl pair`",
    Why.DEVICE: "check its cable and power; it comes back by itself",
    Why.FEE_NOT_WHOLE: "refuse the exchange: the ante is odd",
    Why.CARDS_COMING: "serve the cards first",
    Why.NOTHING_TO_UNDO: "call a supervisor: correct_stake, void_box or void_hand",
    Why.NOT_DISCARDABLE: "name one of the five cards shown at the box",
    Why.DISCARD_COUNT: "name a card again to take it back",
    Why.DECK_FAULT: "call a supervisor; nobody looks at more cards",
    Why.PUBLIC_CARD: "look at the card again",
    Why.NO_DEALER: "sign a dealer on (sign_on)",
    Why.NOT_OPEN: "open the table: dealer and supervisor (open_table)",
    Why.HAND_RUNNING: "finish the hand first",
    Why.NOT_ALLOWED: "let somebody with the right role give it, with his PIN",
    Why.NO_WAITING: "look which acts wait (`tablectl status`)",
    Why.SAME_PERSON: "let another person approve it",
    Why.WAIT_STOP: "ask the player to press STOP",
    Why.JOKER_DARK: "wait for the board, or let a technician repair it",
    Why.COUNT_DIFFERS: "a supervisor counts and says `resume`, or `count` again",
    Why.COUNT_BY_HAND: "count the side bets on the felt: EXTRA, digit, OK (`count number=n`), then START",
    Why.DOOR: "close it; the hand goes on where it was",
    Why.STUB_SHORT: "fewer cards, or the box bets or folds with what it has",
    Why.NO_TRAINING: "add [training] to table.toml (docs/training.md)",
    Why.TRAINING_SO: "look at the first line of the display (`tablectl status`)",
    Why.NO_ALARM: "look which alarms stand (`tablectl status`)",
    Why.DECK_OUT: "a supervisor names another deck (`deck`)",
    Why.DECK_BARRED: "bring a deck with another mark, and say `deck deck=MARK`",
    Why.TWO_DECKS: "say `deck deck=NEW out=OLD`",
    Why.SHUFFLER_COUNTS: "put the deck into the shuffler; a supervisor vouches for it only while that is away",
    Why.HELD_BOX: "a supervisor says `release box=n`",
    Why.CLOCK_BEHIND: "set the clock right; if the journal's time was the wrong one, restart tabled",
    Why.ONE_COPY: "call the technician: the disk of that copy; it goes on by itself once both are written again",
    Why.MACHINE: "call the technician: supply, cable, cooling; LOCK works a minute after the last sign",
    Why.UNSUPPORTED: "choose another value in the rule set",
    Why.NOT_RECORDING: "make room or repair the disk; the hand goes on by itself",
    Why.LAST_HAND: "close the table (close_table), or a supervisor says `last_hands number=n`",
    Why.DECLARED_WRONG: "say category and end as they lie there",
    Why.NEEDS_CARDS: "enter its cards (enter_card)",
    Why.CARRIED: "play the box; the table's closing returns such stakes",
}


def remedy(why: Why) -> str:
    """What to do."""
    return REMEDIES.get(why, LOOK)
