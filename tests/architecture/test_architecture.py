"""What a reader of the code relies on: rooms, sizes, generated pages, and what must never be written."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from controller.domain.phases import mermaid

ROOT = Path(__file__).parents[2]
CODE = sorted(p for d in ("controller", "drivers", "firmware-sim/firmware_sim") for p in (ROOT / d).rglob("*.py"))
MOST_LINES = 400
# The four broad excepts of the daemon (architecture.md), and the one of the log's renderer that guards them all.
BROAD = {
    "controller/runtime/loop.py",
    "controller/runtime/logs.py",
    "drivers/transport/pump.py",
    "drivers/gpio/panel.py",
}


def test_the_diagrams_are_those_of_the_tables() -> None:
    assert (ROOT / "docs/phases.md").read_text("utf-8") == mermaid(), "run `make diagrams`"


@pytest.mark.parametrize("path", CODE, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_file_is_short_and_says_what_it_owns(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    if text.strip():
        assert ast.get_docstring(ast.parse(text)), "a module opens with what it owns"


def test_broad_excepts_stand_in_the_named_places_only() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path in CODE
        if re.search(r"except( Exception)?( as \w+)?:", path.read_text("utf-8"))
    }
    assert found <= BROAD


def test_nothing_is_left_unsaid() -> None:
    for path in CODE:
        assert not re.search(r"\b(TODO|FIXME|XXX|NotImplementedError)\b", path.read_text("utf-8")), path


def test_no_condition_asks_whether_the_hardware_is_simulated() -> None:
    for path in CODE:
        if "firmware_sim" not in str(path):
            assert not re.search(r"^\s*(if|elif|while|assert) .*simul", path.read_text("utf-8"), re.M), path


def test_intervals_never_use_wall_time() -> None:
    """F69: time.time() and datetime.now() only where a label is made."""
    labels = {
        *("controller/runtime/clock.py", "controller/runtime/logs.py"),
        *("controller/cli/doctor.py", "controller/cli/rng_test.py"),
    }
    for path in CODE:
        if str(path.relative_to(ROOT)) in labels or "firmware_sim" in str(path):
            continue
        assert not re.search(r"time\.time\(|datetime\.now\(|time\.time_ns\(", path.read_text("utf-8")), path


def test_randomness_comes_from_the_kernel_alone() -> None:
    """R1: the bench may use `random` for its simulated people and cards; the controller never."""
    for path in CODE:
        if "firmware_sim" not in str(path):
            assert not re.search(r"^\s*(import random|from random)\b", path.read_text("utf-8"), re.M), path


def test_imports_point_one_way() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_distributions_are_ours() -> None:
    import controller  # noqa: PLC0415
    import drivers  # noqa: PLC0415
    import firmware_sim  # noqa: PLC0415

    for package in (controller, drivers, firmware_sim):
        assert Path(str(package.__file__)).is_relative_to(ROOT)


def test_files_name_no_registry() -> None:
    names = [
        "requirements.lock",
        "requirements.in",
        "requirements-table.lock",
        "requirements-table.in",
        "pyproject.toml",
    ]
    for name in (*names, "Makefile", "scripts/setup", "scripts/test-tools", ".ci/run"):
        text = (ROOT / name).read_text("utf-8")
        assert not re.search(r"https?://|--index-url|--extra-index|find-links", text), name
    installer = (ROOT / "deploy/install.sh").read_text("utf-8")
    assert not re.search(r"https?://|index-url", installer)  # its --find-links names a folder


def test_t25_no_private_key_lies_in_the_tree() -> None:
    """Test keys are made when a test runs; a key in a release would open every table that forgot to make its own."""
    rooms = ("controller", "drivers", "firmware-sim", "deploy", "tests", "docs", "scripts", "benchmarks")
    files = [path for room in rooms for path in (ROOT / room).rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert len(files) > 300
    for path in files:
        assert path.suffix not in (".key", ".pem", ".p12", ".cred"), path
        data = path.read_bytes()
        assert not re.search(rb"BEGIN [A-Z ]*PRIVATE " + rb"KEY", data), path
        assert len(data) not in (32, 64) or data.isascii(), f"{path}: looks like a raw key"


def test_nobody_copies_a_live_journal_file() -> None:
    """F68: copies are SQLite's own backup. reader.py copies a file that no daemon holds, to look at it."""
    allowed = {"controller/journal/reader.py"}
    for path in CODE:
        if str(path.relative_to(ROOT)).startswith("controller/") and str(path.relative_to(ROOT)) not in allowed:
            assert not re.search(r"shutil\.(copy|move)|\bcp ", path.read_text("utf-8")), path
