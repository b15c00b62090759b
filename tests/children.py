"""Other processes of a test, which never outlive it: a test that fails must end, not wait for a child that will not."""

from __future__ import annotations

import subprocess
from types import TracebackType


class Child(subprocess.Popen[bytes]):
    """For `with`: where the body fails the child is killed, so that leaving waits for nothing that never comes."""

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            self.kill()
        super().__exit__(kind, value, traceback)
