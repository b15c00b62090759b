"""What a daemon does not load: libraries for a person's terminal, and what only a laptop needs."""

from __future__ import annotations

import json
import subprocess
import sys

LOADED = "import sys, json, controller.app; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"


def test_a_table_loads_no_library_that_only_a_terminal_or_a_laptop_needs() -> None:
    told = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(json.loads(told.stdout))
    assert {"structlog", "gpiozero", "msgspec"} <= loaded
    assert not loaded & {"rich", "pygments", "click", "numpy", "multiprocessing", "psycopg", "usb"}


def test_rich_is_there_for_whoever_wants_it_after_structlog() -> None:
    program = "import controller.runtime.logs, sys; assert 'rich' not in sys.modules; from rich.console import Console"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_and_structlog_for_whoever_has_rich_already() -> None:
    program = "import rich, controller.runtime.logs, sys; assert sys.modules['rich'] is rich"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
