"""Other processes of a test, which never outlive it: a test that fails must end, not wait for a child that will not."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from types import TracebackType
from typing import Any

STOP_S = 10


class Child(subprocess.Popen[bytes]):
    """For `with`: where the body fails the child is stopped with all that it has started.

    Signals act as they do at a terminal, even where the tests run behind something that ignores them.
    """

    def __init__(self, argv: Sequence[str], **more: Any) -> None:
        super().__init__(["env", "--default-signal", *argv], start_new_session=True, **more)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            self.terminate()  # a demo stops its daemon, which is in a session of its own
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.wait(STOP_S)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        super().__exit__(kind, value, traceback)
