"""Where the host's session with a numbered device stands (docs/protocol.md, section 6). Words only."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """Where the session stands (docs/protocol.md, section 6)."""

    CLOSED = "closed"
    ASKING = "asking"
    READY = "ready"
    HELD = "held"  # another device, or a log that restarted: nothing is taken until `adopt`
    WRONG = "wrong"
