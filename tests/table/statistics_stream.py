"""Journals of tables that never were: streams of events with chosen odds, decks and dealers. Seeded, no clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from controller.domain import events as ev
from controller.domain.cards import RANKS, SUITS
from controller.table import alarms
from controller.table.statistics import Statistics, fold_all
from controller.watch_config import AlarmsSection

DECK = [rank + suit for rank in RANKS for suit in SUITS]
Shuffle = Callable[[Random, list[str]], list[str]]
WinRate = Callable[[int, str], float]


def fair_shuffle(random: Random, _: list[str]) -> list[str]:
    """Every order alike, whatever was taken up."""
    cards = list(DECK)
    random.shuffle(cards)
    return cards


def clumped(size: int) -> Shuffle:
    """A block of the cards as they were taken up stays together, somewhere near the top."""

    def shuffle(random: Random, before: list[str]) -> list[str]:
        block = before[:size]
        rest = [card for card in DECK if card not in block]
        random.shuffle(rest)
        at = random.randrange(15)
        return rest[:at] + block + rest[at:]

    return shuffle


def riffled_once(random: Random, before: list[str]) -> list[str]:
    """One riffle of two halves: two rising sequences."""
    left, right = before[:26], before[26:]
    cards: list[str] = []
    while left or right:
        half = left if random.random() * (len(left) + len(right)) < len(left) else right
        cards.append(half.pop(0))
    return cards


def opened(weight: int = 3, rules_hash: str = "r") -> ev.TableOpened:
    rules = {"deck_size": 52, "doc_weight": weight}
    return ev.TableOpened(rules_id="t", rules=rules, rules_hash=rules_hash, procedure={}, limits={}, boxes=6)


class Stream:
    """Hands of six boxes, one after the other."""

    def __init__(
        self,
        seed: int,
        *,
        shuffle: Shuffle = fair_shuffle,
        wins: WinRate = lambda box, dealer: 0.45,
        jokers: list[str] | None = None,
        limits: AlarmsSection | None = None,
        blind: tuple[int, ...] = (),
    ) -> None:
        self.random = Random(seed)
        self.shuffle, self.wins = shuffle, wins
        self.jokers = jokers or [*DECK, "DOC", "DOC", "DOC"]
        self.limits = limits or AlarmsSection()
        self.blind = blind
        self.statistics = fold_all(Statistics(span=self.limits.hands), [opened()], 0.0)
        self.cards = fair_shuffle(self.random, [])
        self.hand = 0
        self.due: dict[tuple[str, str], int] = {}

    def play(self, hands: int, dealers: tuple[str, ...] = ("d1", "d2"), relief: int = 25) -> Stream:
        """Every alarm's first hand is kept in `due`."""
        for _ in range(hands):
            dealer = dealers[self.hand // relief % len(dealers)]
            self.statistics = fold_all(self.statistics, self.events(dealer), self.hand * 90.0)
            for found in alarms.due(self.statistics, self.limits):
                self.due.setdefault((found.code, found.subject), self.hand)
        return self

    def events(self, dealer: str, *more: ev.Event, outcome: str = "settled") -> Iterator[ev.Event]:
        """One hand; `more` happens in it."""
        self.hand += 1
        yield ev.OperatorSignedOn(operator=dealer, role="dealer")
        yield ev.HandOpened(hand=self.hand, key="")
        yield ev.DeckTaken(deck="", source="unchecked")
        yield locked(self.blind)
        places = [("box", box) for box in range(1, 7)] + [("dealer", 0)]
        for n, card in enumerate(self.cards[:35]):
            place, box = places[n % 7]
            yield dealt(place, box, card, n + 1)
        yield ev.JokerShown(slot=self.random.choice(self.jokers), by="board")
        yield from more
        if outcome == "settled":
            for box in range(1, 7):
                won = self.random.random() < self.wins(box, dealer)
                yield ev.BoxSettled(box=box, answer={"net": 30 if won else -30})
        yield ev.HandEnded(hand=self.hand, outcome=outcome, key="", seed="")
        self.cards = self.shuffle(self.random, self._taken_up())

    def _taken_up(self) -> list[str]:
        """Box by box, the dealer's last, the stub below."""
        played = self.cards[:35]
        return [card for seat in range(7) for card in played[seat::7]] + self.cards[35:]


def locked(blind: tuple[int, ...] = ()) -> ev.Locked:
    stakes = tuple({"box": box, "blind": box in blind} for box in range(1, 7))
    return ev.Locked(stakes=stakes, limits={}, commitment="", seed="", witness="", side_bets=0, counted=0)


def dealt(place: str, box: int, card: str, number: int, device: str = "shoe") -> ev.CardDealt:
    return ev.CardDealt(
        place=place, box=box, index=0, card=card, unread=card == "??", reason="", device=device, event_no=number
    )
