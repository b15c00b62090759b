"""Surveillance overlay on TCP and a printer on a pty beside a running table: told, slow, gone; the hand never waits."""

from __future__ import annotations

import pytest

from firmware_sim.demo_files import SHOE
from firmware_sim.pty_port import PtyPort
from firmware_sim.text_sink import TextSink
from tests.hil.rig import Rig, table, until

pytestmark = pytest.mark.hil


def told(port: int) -> dict[str, str]:
    peers = f'[overlay]\nport = "tcp://127.0.0.1:{port}"\n\n[printer]\nport = "printer"\n\n'
    return {SHOE: SHOE + peers}


class Printer:
    """Paper: what came out of the pty so far."""

    def __init__(self, rig: Rig) -> None:
        self.port = PtyPort(rig.folder / "printer")
        self.port.plug()
        self.paper = b""

    def text(self) -> str:
        self.paper += self.port.read()
        return self.paper.decode("ascii", "replace")


def test_a_hand_is_told_and_the_head_printed_at_the_close() -> None:
    """F24: the overlay goes away and comes back by itself."""
    sink = TextSink().start()
    with table(seed=3, changes=told(sink.port)) as rig:
        printer = Printer(rig)
        rig.wait(lambda s: s["devices"].get("overlay") == s["devices"].get("printer") == "ready")
        rig.play_hands(1)
        assert sink.wait(lambda lines: any(line.endswith("HAND 1 SETTLED") for line in lines))
        joker = rig.records("JokerShown")[0]["data"]["slot"]
        assert any(line.endswith(f"#1 JOKER {joker}") for line in sink.lines)
        port = sink.port
        sink.stop()
        rig.wait(lambda s: s["devices"]["overlay"] == "absent")
        again = TextSink(port).start()
        rig.wait(lambda s: s["devices"]["overlay"] == "ready")
        rig.do("close_table", "supervisor")
        closed = rig.wait(lambda s: not s["open"])
        assert again.wait(lambda lines: any(line.endswith("CLOSED") for line in lines))
        assert until(lambda: "TABLE CLOSED" in printer.text() and printer.text().count("-" * 32) == 2)
        head = closed["health"]["journal"]["head"]
        assert head[:32] in printer.text()
        assert rig.stop()[0] == 0
        rig.audit()
        again.stop()
        printer.port.unplug()


def test_a_deaf_overlay_and_no_printer_at_all_cost_the_table_nothing() -> None:
    """F19: one never reads, the other is never there; hands go on, and the daemon stops in time."""
    deaf = TextSink(deaf=True).start()
    with table(seed=3, changes=told(deaf.port)) as rig:
        rig.wait(lambda s: s["devices"].get("overlay") == "ready")
        rig.play_hands(2)
        assert rig.now["devices"]["printer"] == "absent"
        code, seconds = rig.stop()
        assert (code, seconds < 3) == (0, True)
        rig.audit()
    deaf.stop()
