"""A plain reader on a real pty in the shoe's place: a hand, scans that go wrong, cards that nobody listened to."""

from __future__ import annotations

import pytest

from firmware_sim.faults import Fault
from tests.hil.rig import Rig, Snapshot, devices_ready, table

pytestmark = pytest.mark.hil


def cards(snap: Snapshot) -> int:
    return sum(len(b["cards"]) + len(b["drawn"]) for b in snap["boxes"]) + len(snap["dealer"]["cards"])


def dealt(count: int, rig: Rig) -> Snapshot:
    return rig.play_until(lambda s: s["phase"] == "dealing" and cards(s) >= count and s["expects"]["kind"] == "card")


def finish(rig: Rig) -> None:
    """The hand goes on to its end, and the record is the felt's."""
    rig.play_hands(1)
    rig.bench.new_deck(99)
    assert rig.stop()[0] == 0
    rig.audit()
    rig.felt_agrees(1)


def in_doubt(rig: Rig) -> Snapshot:
    found = rig.wait(lambda s: s["expects"].get("cause") == "reads_doubted")
    assert found["prompt"]["code"] == "TC-0341"
    return found


def test_a_hand_is_played_from_a_plain_reader() -> None:
    """Double and torn scans among it (F1, F49); every card is marked untrusted, as the table says too."""
    with table(seed=3, reader=True) as rig:
        assert any("untrusted" in warning for warning in rig.now["health"]["warnings"])
        dealt(2, rig)
        rig.bench.inject(Fault.DOUBLE_SCAN)
        dealt(4, rig)
        rig.bench.inject(Fault.SPLIT_SCAN)
        finish(rig)
        came = rig.records("CardDealt")
        assert len(came) >= 15
        assert {(c["data"]["device"], c["data"]["trusted"]) for c in came} == {("reader", False)}
        assert rig.records("RunStarted")[0]["data"]["hardware"]["reader"].endswith("/reader")
        assert [r["data"]["code"] for r in rig.records("DeviceTroubled")] == ["double_scan"]
        assert rig.recall(1)["overrides"] == []


def test_two_scans_run_together_and_the_supervisor_counts() -> None:
    """F49: neither card is guessed; both lie there as unknown ones and are named when their boxes are turned."""
    with table(seed=3, reader=True) as rig:
        before = dealt(1, rig)
        rig.bench.inject(Fault.GLUED_SCAN)
        place = before["expects"]
        assert rig.bench.draw_card(place["place"], place.get("box", 0))
        assert rig.bench.draw_card(*second_place(before))
        in_doubt(rig)
        rig.do("reset", "supervisor", number=2)
        after = rig.wait(lambda s: s["phase"] == "dealing")
        assert (cards(after), sum(b["cards"].count("unknown") for b in after["boxes"])) == (cards(before) + 2, 2)
        finish(rig)


def second_place(snap: Snapshot) -> tuple[str, int]:
    """Where the card after the next one goes."""
    boxes = [b["box"] for b in snap["boxes"] if b["in"]]
    at = boxes.index(snap["expects"]["box"])
    return ("box", boxes[at + 1]) if at + 1 < len(boxes) else ("dealer", 0)


def test_the_daemon_was_down_while_a_card_passed() -> None:
    """F20: what came before the port was open is nobody's card; a count says how many lie there unknown."""
    with table(seed=3, reader=True) as rig:
        before = dealt(3, rig)
        rig.kill()
        rig.bench.shoe.send(b"A50100AA\r\n")  # a scan that waits in the line when the daemon comes back
        rig.start()
        after = in_doubt(rig)
        assert cards(after) == cards(before)
        rig.do("reset", "supervisor", number=0)
        again = rig.wait(lambda s: s["phase"] == "dealing" and s["expects"]["kind"] == "card")
        assert again["expects"] == before["expects"]
        finish(rig)
        assert [r["data"]["reason"] for r in rig.records("ReadDoubted")] == ["away"]
        assert rig.records("CardRefused") == []


def test_the_plug_is_pulled_in_mid_deal() -> None:
    """F17, F25: without a log nobody can tell whether a card passed meanwhile."""
    with table(seed=3, reader=True) as rig:
        before = dealt(4, rig)
        rig.bench.unplug_shoe(0.3)
        gone = rig.wait(lambda s: s["devices"]["reader"] == "absent")
        assert gone["prompt"]["code"] == "TC-0840"
        rig.wait(devices_ready)
        in_doubt(rig)
        rig.do("reset", "supervisor", number=0)
        assert rig.wait(lambda s: s["phase"] == "dealing")["expects"] == before["expects"]
        finish(rig)
