"""Log lines: total formatting (F79), rate limit with summary (F80), full disks (F81), and no card in any of them."""

from __future__ import annotations

import json
import logging
import math
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from controller.domain.cards import parse_cards
from controller.errors import TableError
from controller.runtime import plain
from controller.runtime.limiter import RateLimiter
from controller.runtime.logs import Logs, TotalLogger
from controller.runtime.logsink import LogSink
from drivers.events import CardRead, PortBytes


class Clock:
    def __init__(self) -> None:
        self.ns = 0

    def __call__(self) -> int:
        return self.ns


class Rig:
    """Logs over a file, with a clock in our hands."""

    def __init__(self, folder: Path, level: str = "debug", limiter: RateLimiter | None = None) -> None:
        self.path = folder / "tabled.log"
        self.clock = Clock()
        self.sink = LogSink(self.path)
        limiter = limiter or RateLimiter(per_kind=10_000, total=100_000)
        self.logs = Logs(self.sink, level, clock_ns=self.clock, wall_ns=lambda: 1_700_000_000 * 10**9, limiter=limiter)
        self.log = self.logs.get("test")

    def lines(self) -> list[dict[str, Any]]:
        """Closes and reads back; every line must be strict JSON."""
        self.logs.close()
        return [strict(line) for line in self.path.read_bytes().splitlines()]


def strict(line: bytes) -> dict[str, Any]:
    def no_constant(name: str) -> Any:
        raise AssertionError(f"{name} is not JSON")

    found = json.loads(line.decode("utf-8"), parse_constant=no_constant)
    assert isinstance(found, dict)
    return found


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    __str__ = __repr__

    def __len__(self) -> int:
        raise RuntimeError("no length")


class HostileText(str):
    def __len__(self) -> int:
        raise RuntimeError("no length")


def loop() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


ODD = {
    "bytes": b"\xff\x00",
    "set": {1, "a", (2,)},
    "nan": math.nan,
    "infinity": -math.inf,
    "surrogate": "a\ud800b",
    "card": parse_cards("As")[0],
    "card event": CardRead("shoe", 4, "As"),
    "port bytes": PortBytes("shoe", b"As", 0),
    "1 MB text": "x" * 1_000_000,
    "1 MB list": list(range(1_000_000)),
    "huge integer": 10**10_000,
    "loop": loop(),
    "deep": json.loads("[" * 500 + "]" * 500),
    "hostile": Hostile(),
    "hostile text": HostileText("abc"),
    "odd keys": {1: 2, None: 3, b"k": 4, "\ud800": 5, (1,): 6},
    "path": Path("/tmp/\udcff"),
    "exception": ValueError(b"x", math.nan),
    "generator": (one for one in [1]),
    "percent": "%s %d %",
    "new line": "a\nb\x00\u2028",
}
LEVELS = ["debug", "info", "warning", "error", "critical", "exception"]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", ODD)
def test_f79_no_value_makes_a_log_call_raise(rig: Rig, level: str, kind: str) -> None:
    say: Callable[..., None] = getattr(rig.log, level)
    say("odd", value=ODD[kind], inside={"list": [ODD[kind]]})
    say(ODD[kind], ODD[kind], "more")
    lines = rig.lines()
    assert len(lines) == 2
    assert all(len(json.dumps(line)) < 4 * plain.MAX_LINE for line in lines)
    assert all(line["level"] == ("error" if level == "exception" else level) for line in lines if "time" in line)


def test_f79_exception_with_and_without_an_active_one(rig: Rig) -> None:
    rig.log.exception("nothing active")
    parse_table: dict[str, int] = {}
    try:
        parse_table["As"]
    except KeyError as error:
        rig.log.exception("active")
        rig.log.error("given", exc_info=error)
        rig.log.error("as a tuple", exc_info=(KeyError, error, None))
    rig.log.error("ours", exc_info=TableError(312, "shoe lost cards", "shoe", "re-scan"))
    first, active, given, as_tuple, ours = rig.lines()
    assert "error" not in first
    assert active["error"] == given["error"] == as_tuple["error"] == "KeyError"
    assert "test_logs.py" in active["trace"][0]
    assert ours["error"] == "TC-0312 shoe lost cards: shoe: re-scan"


def test_f79_a_line_that_cannot_be_made_is_counted_and_said(rig: Rig) -> None:
    rig.log.info("odd", value=HostileText("abc"))
    (line,) = rig.lines()
    assert line == {"level": "error", "event": "log_line_failed", "reason": "RuntimeError"}
    assert rig.logs.failed == 1


def test_no_card_in_any_line(rig: Rig) -> None:
    rig.log.info("read", event_=CardRead("shoe", 4, "As"), data=PortBytes("shoe", b"As", 0), raw=b"As")
    rig.log.info("named", card="As", cards=["As"], nested={"deck": "As", "pin": "As", "CARD": "As"}, struct=[CardRead])
    try:
        parse_cards("As As")
    except ValueError:
        rig.log.exception("twice")
    rig.logs.close()
    assert b"As" not in rig.path.read_bytes()


def test_a_line_keeps_its_own_names(rig: Rig) -> None:
    rig.log.info("x", time="mine", level="mine", hand=17)
    (line,) = rig.lines()
    assert line["level"] == "info"
    assert (line["time_"], line["level_"], line["hand"]) == ("mine", "mine", 17)
    assert line["time"] == "2023-11-14T22:13:20.000+00:00"
    assert line["logger"] == "test"


def test_levels_below_are_dropped(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "warning")
    rig.log.info("no")
    rig.log.warning("yes")
    assert [line["event"] for line in rig.lines()] == ["yes"]


@pytest.fixture
def installed(rig: Rig) -> Iterator[Rig]:
    root = logging.getLogger()
    handlers, level, raising = root.handlers[:], root.level, logging.raiseExceptions
    rig.logs.install()
    yield rig
    logging.captureWarnings(False)
    root.handlers, logging.raiseExceptions = handlers, raising
    root.setLevel(level)
    structlog.reset_defaults()


def test_logging_structlog_and_warnings_come_out_as_lines(installed: Rig) -> None:
    logging.getLogger("gpiozero").warning("bad %s %d", "As")  # noqa: PLE1206 - that is the point
    logging.getLogger("transitions").info("not wanted")
    structlog.get_logger().info("from structlog", hand=3)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("old thing", stacklevel=1)
    first, second, third = installed.lines()
    assert (first["event"], first["logger"], first["level"]) == ("bad %s %d", "gpiozero", "warning")
    assert (second["event"], second["hand"]) == ("from structlog", 3)
    assert "old thing" in third["event"]


# --- F80


def test_f80_a_flood_leaves_few_lines_and_a_count(tmp_path: Path) -> None:
    rig = Rig(tmp_path, limiter=RateLimiter())
    for number in range(50_000):  # 5,000 a second for 10 s
        rig.clock.ns = number * 200_000
        rig.log.warning("bad_frame", number=number)
        if number == 30_000:
            rig.log.error("another kind is still heard")
    lines = rig.lines()
    frames = [line for line in lines if line["event"] == "bad_frame"]
    counts = [line["count"] for line in lines if line["event"] == "suppressed"]
    assert len(lines) <= 30
    assert len(frames) + sum(counts) == 50_000
    assert sum(line["event"] == "another kind is still heard" for line in lines) == 1


def test_f80_a_device_that_is_gone_is_heard_in_any_flood(tmp_path: Path) -> None:
    rig = Rig(tmp_path, limiter=RateLimiter())
    for number in range(20_000):
        rig.log.info(f"kind {number % 300}")
        if number % 1000 == 999:
            rig.log.warning("device down", urgent=True, device="shoe")
    lines = rig.lines()
    down = [line for line in lines if line["event"] == "device down"]
    assert len(down) == 20
    assert all(line["level"] == "warning" and "urgent" not in line for line in down)
    assert len(lines) <= 20 + 200 + 257, "they take no room from the others, and the others have none of theirs"


def test_f80_a_summary_needs_no_further_line(tmp_path: Path) -> None:
    rig = Rig(tmp_path, limiter=RateLimiter(per_kind=1))
    for _ in range(5):
        rig.log.info("again")
    rig.logs.tick()
    rig.clock.ns = 6 * 10**9
    rig.logs.tick()
    rig.logs.tick()
    again, suppressed = rig.lines()
    assert again["event"] == "again"
    assert (suppressed["event"], suppressed["of"], suppressed["count"]) == ("suppressed", "again", 4)


def test_f80_invented_kinds_are_bounded() -> None:
    limiter = RateLimiter(per_kind=10, total=50, window_s=1, kinds=8)
    passed = sum(limiter.allow(f"kind {number}", 0) for number in range(10_000))
    assert passed <= 50
    held = limiter.due(10**9)
    assert len(held) <= 9
    assert passed + sum(held.values()) == 10_000
    assert limiter.allow("kind 1", 2 * 10**9)


# --- F81


def test_f81_a_full_disk_stops_nobody_and_names_the_place() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    sink = LogSink(descriptor=full)
    logs = Logs(sink, clock_ns=lambda: 0)
    for _ in range(5):
        logs.get("test").error("nobody reads this")
    logs.close()
    os.close(full)
    assert sink.lost == 5
    assert sink.trouble == "log on stderr: No space left on device"


def test_f81_lost_lines_are_said_when_there_is_room_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig(tmp_path)
    really = os.write
    left = [0, 7]  # first nothing at all, then a torn line

    def write(handle: int, data: bytes) -> int:
        if not left:
            return really(handle, data)
        room = left[0]
        if not room:
            left.pop(0)
            raise OSError(28, "No space left on device")
        left[0] = 0
        return really(handle, bytes(data[:room]))

    monkeypatch.setattr("controller.runtime.logsink.os.write", write)
    for number in range(3):
        rig.log.info("line", number=number)
    rig.logs.close()
    monkeypatch.undo()
    torn, lost, line = rig.path.read_bytes().splitlines()
    assert len(torn) == 7
    assert strict(lost) == {"level": "warning", "event": "log_lines_lost", "count": 2}
    assert strict(line)["number"] == 2
    assert rig.sink.trouble is None
    assert rig.sink.lost == 2


def test_f81_the_alarm_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig(tmp_path)

    def write(handle: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("controller.runtime.logsink.os.write", write)
    rig.log.info("line")
    rig.logs.close()
    assert rig.sink.trouble == f"log folder {tmp_path}: No space left on device"


def test_a_stuck_reader_of_stderr_holds_nobody_up() -> None:
    reader, writer = os.pipe()
    sink = LogSink(descriptor=writer, room=100)
    logs = Logs(sink, clock_ns=lambda: 0, limiter=RateLimiter(10**6, 10**6))
    log = logs.get("test")
    for _ in range(2000):
        log.info("x", text="y" * 1000)
    assert sink.lost > 0
    os.close(reader)  # the writer's thread gets EPIPE and ends
    logs.close()
    os.close(writer)


def test_a_wrong_path_is_a_mistake_at_once(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="cannot write the log") as caught:
        LogSink(tmp_path / "absent" / "tabled.log")
    assert caught.value.exit_code == 2


def test_bound_values_stay(rig: Rig) -> None:
    log: TotalLogger = rig.log.bind(device="shoe")
    log.info("ready")
    (line,) = rig.lines()
    assert line["device"] == "shoe"
