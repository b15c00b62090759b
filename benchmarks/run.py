"""`make bench`: every figure beside a peer or a floor, measured alternately in this one run. Judges nothing.

Not a test: machines differ, ratios hold. Goals are those of docs/performance.md.
"""

from __future__ import annotations

import array
import hashlib
import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import combinations, combinations_with_replacement
from pathlib import Path

from controller import settle
from controller.domain.cards import Card, card_text
from controller.domain.events import BoxPaid, registry
from controller.domain.ranking import ranking_of
from controller.journal.codec import Registry
from controller.journal.journal import Journal
from controller.journal.keys import create
from controller.journal.records import Stamp
from controller.rulesets import load

ROUNDS = 7
BIN = Path(sys.executable).parent


def timed(work: Callable[[], object]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def beside(ours: Callable[[], object], peer: Callable[[], object]) -> tuple[float, float, float]:
    """Median seconds of both, alternated, and the median of the ratios ours / peer."""
    ours(), peer()
    pairs = [(timed(ours), timed(peer)) for _ in range(ROUNDS)]
    return (
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(a / b for a, b in pairs),
    )


def row(what: str, ours: str, peer: str, ratio: str, goal: str) -> None:
    """One line of the table."""
    print(f"{what:38} {ours:>14} {peer:>22} {ratio:>9}   {goal}", flush=True)


def ranking_natural(hands: list[list[Card]]) -> None:
    import eval7  # noqa: PLC0415 - peers are installed by `make bench` alone

    five = ranking_of(load("caribbean")).five
    theirs = [[eval7.Card(card_text(c)) for c in hand] for hand in hands]
    evaluate = eval7.evaluate

    def us() -> None:
        for a, b, c, d, e in hands:
            five(a, b, c, d, e)

    def them() -> None:
        for hand in theirs:
            evaluate(hand)

    a, b, ratio = beside(us, them)
    n = len(hands)
    row("rank five cards, natural", f"{a / n * 1e6:.2f} us", f"eval7 {b / n * 1e6:.2f} us", f"{ratio:.2f}", "<= 1")


def ranking_peers(hands: list[list[Card]]) -> None:
    import phevaluator  # noqa: PLC0415
    import treys  # noqa: PLC0415
    from pokerkit import StandardHighHand  # noqa: PLC0415

    five = ranking_of(load("caribbean")).five
    hands = hands[:2000]
    texts = [[card_text(c) for c in hand] for hand in hands]
    numbers = [[treys.Card.new(t) for t in hand] for hand in texts]
    evaluator = treys.Evaluator()
    ids = [[phevaluator.Card(t).id_ for t in hand] for hand in texts]

    def us() -> None:
        for a, b, c, d, e in hands:
            five(a, b, c, d, e)

    peers: dict[str, Callable[[], object]] = {
        "phevaluator": lambda: [phevaluator.evaluate_cards(*hand) for hand in ids],
        "treys": lambda: [evaluator.evaluate([], hand) for hand in numbers],
        "pokerkit": lambda: [StandardHighHand("".join(hand)) for hand in texts[:300]],
    }
    for name, peer in peers.items():
        a, b, _ = beside(us, peer)
        count = 300 if name == "pokerkit" else len(hands)
        ours, theirs = a / len(hands), b / count
        row("  the same, beside", f"{ours * 1e6:.2f} us", f"{name} {theirs * 1e6:.2f} us", f"{ours / theirs:.2f}", "")


def ranking_wild(hands: list[list[Card]]) -> None:
    import phevaluator  # noqa: PLC0415

    rank = ranking_of(load("jpoker")).value
    few = hands[:200]
    rest = [[c for c in range(52) if c not in hand] for hand in few]

    def us() -> None:
        for hand in few:
            rank(hand, hand[0])

    def them() -> None:
        for hand, others in zip(few, rest, strict=True):
            min(phevaluator.evaluate_cards(c, *hand[1:]) for c in [hand[0], *others])

    a, b, ratio = beside(us, them)
    n = len(few)
    peer = f"phevaluator x48 {b / n * 1e6:.0f} us"
    row("rank a hand with the joker", f"{a / n * 1e6:.2f} us", peer, f"1/{1 / ratio:.0f}", "<= 1/80")


def all_hands() -> None:
    import eval7  # noqa: PLC0415

    from controller.odds.deck import Deck  # noqa: PLC0415
    from controller.odds.finals import Book  # noqa: PLC0415

    deck = [eval7.Card(r + s) for r in "23456789TJQKA" for s in "cdhs"]
    few = list(combinations(deck, 5))[:: 2_598_960 // 50_000]
    evaluate = eval7.evaluate
    whole = 2_598_960 / len(few)
    for name in ("caribbean", "joker53"):
        book = Book(load(name))
        a, b, _ = beside(lambda k=book: Deck(k).codes(), lambda: [evaluate(hand) for hand in few])  # type: ignore[misc]
        ratio = b * whole / a
        row(
            f"all hands of a deck, {name}",
            f"{a * 1e3:.1f} ms",
            f"eval7 loop {b * whole:.2f} s",
            f"1/{ratio:.0f}",
            "<= 1/50",
        )


def all_hands_in_c(folder: Path) -> None:
    """The same values by a loop in C; every one of them must come to the same sum."""
    compiler = shutil.which("cc")
    if compiler is None:
        print("  no C compiler here: all hands are not measured beside C", flush=True)
        return
    from controller.odds.deck import Deck  # noqa: PLC0415
    from controller.odds.finals import Book  # noqa: PLC0415

    subprocess.run([compiler, "-O3", "-o", folder / "all_hands", Path(__file__).with_name("all_hands.c")], check=True)
    book = Book(load("caribbean"))
    five = book.ranking.five
    numbers = {value: number for number, value in enumerate(book.values.tolist(), 1)}
    plain, suited = array.array("i"), array.array("i", [0] * 8192)
    for ranks in combinations_with_replacement(range(13), 5):
        if max(map(ranks.count, ranks)) < 5:
            cards = [Card(4 * rank + place % 4) for place, rank in enumerate(ranks)]  # never all of one suit
            plain.extend((sum(5**rank for rank in ranks), numbers[five(*cards)]))
    for ranks in combinations(range(13), 5):
        suited[sum(1 << rank for rank in ranks)] = numbers[five(*(Card(4 * rank) for rank in ranks))]
    told = [*plain, -1, -1, *suited]
    said = subprocess.run(
        [folder / "all_hands"], input=array.array("i", told).tobytes(), capture_output=True, check=True
    )
    seconds, total = said.stdout.split()
    deck = Deck(book)
    assert int(total) == int((deck.codes().astype("int64") + 1).sum())
    ours = min(timed(deck.codes) for _ in range(30))
    theirs = float(seconds)
    row("  the same, fastest of 30", f"{ours * 1e3:.1f} ms", f"C {theirs * 1e3:.1f} ms", f"{ours / theirs:.1f}", "<= 5")


def exact_edges() -> None:
    from controller.odds.engine import compute  # noqa: PLC0415

    only_sixth = {"exchange_fee": {str(count): None for count in range(1, 6)}, "dealer_exchange_fee": None}
    for what, rules, goal in (
        ("caribbean", load("caribbean"), 2),
        ("oasis_ru", load("oasis_ru"), 20),
        ("russian, sixth card alone", load("russian").with_set(only_sixth), 300),
    ):
        spent = timed(lambda r=rules: compute(r, "best"))  # type: ignore[misc]
        row(f"exact edge, {what}", f"{spent:.1f} s", "-", "", f"<= {goal} s")


def settling() -> None:
    lines = (Path(__file__).parents[1] / "tests/golden/settle.jsonl").read_text("utf-8").splitlines()
    asked = [v["in"] for v in map(json.loads, lines) if "error" not in v["out"]]

    def us() -> None:
        for request in asked * 5:
            settle.run(request)

    us()
    rate = len(asked) * 5 / statistics.median(timed(us) for _ in range(ROUNDS))
    row("settle, both readings", f"{rate:.0f} /s", "-", "", ">= 2000 /s")


def appending(folder: Path) -> None:
    keys = create(folder, os.urandom)
    stamp = Stamp("2026-01-01T00:00:00.000+00:00", 0, "bench")
    journal = Journal.create(
        folder / "j.db", table="T", keys=keys, registry=Registry(registry()), entropy=os.urandom, stamp=stamp
    )
    raw = os.open(folder / "raw", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    event = BoxPaid(box=1)
    ours, floor = [], []
    for _ in range(1500):
        ours.append(timed(lambda: journal.append([event], hand=None, stamp=stamp)))
        floor.append(timed(lambda: (os.write(raw, b"x" * 300), os.fdatasync(raw))))
    os.close(raw)
    journal.close()
    a, b = statistics.median(ours), statistics.median(floor)
    row(
        "durable append of one event, p50",
        f"{a * 1e6:.0f} us",
        f"write+fdatasync {b * 1e6:.0f} us",
        f"{a / b:.2f}",
        "<= 1.6",
    )


def auditing(folder: Path) -> None:
    demo = [BIN / "firmware-sim", "demo", "--game", "jpoker", "--hands", "10", "--seed", "1"]
    subprocess.run([*demo, "--dir", str(folder / "run")], check=True, stdout=subprocess.DEVNULL)
    path = folder / "run/journal.db"

    def floor() -> int:
        rows = sqlite3.connect(path).execute("SELECT prev, body FROM journal ORDER BY seq")
        return sum(len(json.loads(body)) for prev, body in rows if hashlib.sha256(prev + body.encode()).digest())

    from controller.cli.audit import CHECKS  # noqa: PLC0415
    from controller.journal.auditing import Checks, Options  # noqa: PLC0415
    from controller.journal.verify import audit  # noqa: PLC0415

    known = Registry(registry())
    for what, options, checks, goal in (
        ("audit, chain only", Options(chain_only=True), Checks(), ">= 0.6"),
        ("audit, everything", Options(), CHECKS, ">= 0.08"),
    ):
        a, b, ratio = beside(lambda o=options, c=checks: audit(path, known, o, c, None), floor)  # type: ignore[misc]
        row(what, f"{a * 1e3:.1f} ms", f"read+sha+decode {b * 1e3:.1f} ms", f"{1 / ratio:.2f}", goal)


def main() -> None:
    """The whole table."""
    print(f"{'what':38} {'ours':>14} {'beside':>22} {'ratio':>9}   goal")
    source = random.Random(1)
    hands = [[Card(c) for c in source.sample(range(52), 5)] for _ in range(20_000)]
    ranking_natural(hands)
    ranking_peers(hands)
    ranking_wild(hands)
    all_hands()
    with tempfile.TemporaryDirectory() as folder:
        all_hands_in_c(Path(folder))
    exact_edges()
    settling()
    with tempfile.TemporaryDirectory() as folder:
        appending(Path(folder))
        auditing(Path(folder))


if __name__ == "__main__":
    main()
