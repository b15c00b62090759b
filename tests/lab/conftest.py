"""The table's harness makes the journals that are looked at here."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "table"))
