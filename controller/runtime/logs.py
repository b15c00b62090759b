"""structlog to JSON lines. Owns format, level and rate limit of everything the daemon says; it is no audit trail.

A log call never raises, never waits and never shows a card (controller.runtime.plain). The guard here is one of the
daemon's four broad `except`: it counts.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, MutableMapping
from datetime import UTC, datetime
from typing import Any

from controller.runtime import plain
from controller.runtime.lean import WrappedLogger, structlog
from controller.runtime.limiter import RateLimiter
from controller.runtime.logsink import LogSink

LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40, "exception": 40, "critical": 50}


class TotalLogger(structlog.BoundLoggerBase):
    """A bound logger that takes anything. Positional values are kept under `values`; there is no % formatting.

    `urgent=True` passes the flood limit: for what is rare by its nature and must not drown among other lines.
    """

    def _say(self, level: str, event: object, values: tuple[object, ...], keys: dict[str, Any]) -> None:
        if values:
            keys["values"] = values
        self._proxy_to_logger(level, event, **keys)  # type: ignore[arg-type]  # made text by the renderer

    def debug(self, event: object = "", *values: object, **keys: Any) -> None:
        self._say("debug", event, values, keys)

    def info(self, event: object = "", *values: object, **keys: Any) -> None:
        self._say("info", event, values, keys)

    def warning(self, event: object = "", *values: object, **keys: Any) -> None:
        self._say("warning", event, values, keys)

    def error(self, event: object = "", *values: object, **keys: Any) -> None:
        self._say("error", event, values, keys)

    def critical(self, event: object = "", *values: object, **keys: Any) -> None:
        self._say("critical", event, values, keys)

    def exception(self, event: object = "", *values: object, **keys: Any) -> None:
        keys.setdefault("exc_info", True)
        self._say("exception", event, values, keys)


class _Out:
    """What structlog calls with a finished line."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self.debug = self.info = self.warning = self.error = self.exception = self.critical = write


class Logs:
    """One set of loggers over one sink. `get` is for constructors; `install` also catches logging and warnings."""

    def __init__(
        self,
        sink: LogSink,
        level: str = "info",
        *,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        wall_ns: Callable[[], int] = time.time_ns,
        limiter: RateLimiter | None = None,
    ) -> None:
        self._sink = sink
        self._least = LEVELS[level]
        self._clock_ns = clock_ns
        self._wall_ns = wall_ns
        self._limiter = limiter or RateLimiter()
        self._out = _Out(sink.write)
        self.failed = 0  # lines that could not be made; each left a line that says so

    def get(self, name: str) -> TotalLogger:
        """A logger that names its part of the daemon."""
        return TotalLogger(self._out, processors=[self.render], context={"logger": name})

    def install(self) -> None:
        """For libraries: structlog.get_logger, the logging module from WARNING on, warnings."""
        structlog.configure(processors=[self.render], wrapper_class=TotalLogger, logger_factory=lambda *_: self._out)
        logging.basicConfig(level=logging.WARNING, handlers=[_Bridge(self)], force=True)
        logging.raiseExceptions = False
        logging.captureWarnings(True)

    @property
    def trouble(self) -> str | None:
        """Why lines are being lost just now, with the folder's name; None: they are not."""
        return self._sink.trouble

    def tick(self) -> None:
        """From the loop, once a second or so: says what was held back, even if nothing more is logged."""
        self._summary(self._limiter.due(self._clock_ns()))

    def close(self) -> None:
        """The last summary, then the sink."""
        self._summary(self._limiter.flush())
        self._sink.close()

    def render(self, logger: WrappedLogger, method: str, event: MutableMapping[str, Any]) -> bytes:
        """structlog's only processor: a line of bytes, or DropEvent."""
        if LEVELS.get(method, 20) < self._least:
            raise structlog.DropEvent
        try:
            return self._render(method, event)
        except structlog.DropEvent:
            raise
        except Exception as error:  # noqa: BLE001 - the log's counted guard: a log call must not stop a hand
            self.failed += 1
            return plain.line({"level": "error", "event": "log_line_failed", "reason": type(error).__name__})

    def _render(self, method: str, event: MutableMapping[str, Any]) -> bytes:
        now_ns = self._clock_ns()
        self._summary(self._limiter.due(now_ns))
        what = plain.plain(event.pop("event", ""))
        kind = what if isinstance(what, str) else type(what).__name__
        if not self._limiter.allow(kind[:80], now_ns, urgent=event.pop("urgent", False) is True):
            raise structlog.DropEvent
        error = _error_of(event.pop("exc_info", None))
        head: dict[str, Any] = {"time": self._time(), "level": "error" if method == "exception" else method}
        head["event"] = what
        if error is not None:
            head |= {"error": plain.failure(error), "trace": plain.trace(error)}
        return plain.line(head | {key if key not in head else f"{key}_": value for key, value in event.items()})

    def _summary(self, held: dict[str, int]) -> None:
        for kind, count in held.items():
            head = {"time": self._time(), "level": "warning", "event": "suppressed"}
            self._sink.write(plain.line({**head, "of": kind, "count": count}))

    def _time(self) -> str:
        # A label only: order is that of the lines.
        return datetime.fromtimestamp(self._wall_ns() / 1e9, UTC).isoformat(timespec="milliseconds")


def _error_of(info: object) -> BaseException | None:
    if isinstance(info, BaseException):
        return info
    if isinstance(info, tuple) and len(info) == 3 and isinstance(info[1], BaseException):
        return info[1]
    return sys.exc_info()[1] if info else None


class _Bridge(logging.Handler):
    """The logging module's records as our lines. Libraries log no cards, but their arguments stay out all the same."""

    def __init__(self, logs: Logs) -> None:
        super().__init__()
        self._logs = logs

    def emit(self, record: logging.LogRecord) -> None:
        level = record.levelname.lower()
        say = getattr(self._logs.get(record.name), level if level in LEVELS else "warning")
        # A warning is logged as "%s" with its text; everything else is told by its template alone.
        say(record.getMessage() if record.name == "py.warnings" else record.msg, exc_info=record.exc_info)
