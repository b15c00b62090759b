"""Other processes of a test, which never outlive it: a test that fails must end, not wait for a child that will not."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from types import TracebackType
from typing import Any


class Child(subprocess.Popen[bytes]):
    """For `with`: where the body fails the child is killed, and its own children, so that leaving waits for nothing."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, start_new_session=True, **more)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        super().__exit__(kind, value, traceback)
