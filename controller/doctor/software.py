"""What runs here: our modules and nobody else's under those names, the pinned libraries, the Python they are made for.

Reads what is installed; imports nothing of it.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path

from controller.config import Mode
from controller.doctor.finding import Finding, Topic
from controller.doctor.machine import Scene

OURS = Topic(930)
BENCH = Topic(931)
VERSIONS = Topic(932)
PYTHON = Topic(933)
# Import name -> the one distribution that may bear it.
NAMES = {"controller": "table-controller", "drivers": "table-controller", "firmware_sim": "firmware-sim"}
LOCK = "requirements.lock"


def probe(scene: Scene) -> Iterator[Finding]:
    """Names, bench, libraries, Python."""
    yield from foreign(metadata.packages_distributions(), {name: _place(name) for name in NAMES}, _home())
    yield bench(_place("firmware_sim"), scene.config.table.mode)
    yield from versions(_home() / LOCK, first_found((one.name, one.version) for one in metadata.distributions()))
    yield python(sys.version_info[:2])


def _home() -> Path:
    """The folder that `controller` lies in: the installed version, or a checkout."""
    return Path(__file__).resolve().parents[2]


def _place(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).resolve() if spec is not None and spec.origin else None


def foreign(owners: Mapping[str, Sequence[str]], places: Mapping[str, Path | None], home: Path) -> Iterator[Finding]:
    """Other distributions bear such names too: whose is each, and does it lie where this program lies?"""
    for name, ours in NAMES.items():
        strangers = sorted({one for one in owners.get(name, ()) if _normal(one) != ours})
        place = places[name]
        if strangers:
            what = f"module {name} also comes from {', '.join(strangers)}"
            yield OURS.fail(what, str(place or home), f"pip uninstall {' '.join(strangers)}")
        elif place is None and name != "firmware_sim":
            yield OURS.fail(f"module {name} is not to be found", str(home), "install the controller again")
        elif place is not None and not place.is_relative_to(home):
            yield OURS.fail(f"module {name} is another one", str(place), f"remove it: ours lies in {home}")
        elif place is not None:
            yield OURS.ok(f"module {name} is ours", str(place.parent))


def first_found(distributions: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The version that an import gets: the system may have others of the same name behind ours."""
    found: dict[str, str] = {}
    for name, version in distributions:
        found.setdefault(_normal(name), version)
    return found


def bench(place: Path | None, mode: Mode) -> Finding:
    """Simulated hardware has no business on a table that takes money."""
    if mode is not Mode.PRODUCTION:
        return BENCH.skipped("a bench may have its bench", f"table.mode {mode}")
    if place is None:
        return BENCH.ok("no simulated hardware is installed", "firmware_sim")
    return BENCH.fail("simulated hardware on a production table", str(place.parent), "pip uninstall firmware-sim")


def versions(lock: Path, found: Mapping[str, str]) -> Iterator[Finding]:
    """Each pinned library that is here has the pinned version; the table's own are all here."""
    try:
        text = lock.read_text("utf-8")
    except OSError as error:
        yield VERSIONS.skipped(f"no lock file ({error.strerror})", str(lock))
        return
    have = {_normal(name): version for name, version in found.items()}
    wanted: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;\\]+)", text, re.MULTILINE):
        wanted.setdefault(_normal(name), set()).add(version)
    wrong = [f"{name} {have[name]}, pinned {' or '.join(sorted(pins))}" for name, pins in wanted.items()
             if name in have and have[name] not in pins]  # fmt: skip
    missing = sorted(_needed() - have.keys())
    for what in [*wrong, *(f"{name} is missing" for name in missing)]:
        yield VERSIONS.fail(what, str(lock), "install again: deploy/install.sh, or make setup in a checkout")
    if not wrong and not missing:
        yield VERSIONS.ok(f"{len(wanted.keys() & have.keys())} libraries as pinned", str(lock))


def _needed() -> set[str]:
    """What the distribution says it needs, without its extras."""
    try:
        lines: Iterable[str] = metadata.requires("table-controller") or ()
    except metadata.PackageNotFoundError:
        return {"table-controller"}
    return {_normal(re.split(r"[\s<>=!~;\[]", line)[0]) for line in lines if "extra ==" not in line}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def python(version: tuple[int, ...]) -> Finding:
    """The Pythons that this release is tested with."""
    text = ".".join(map(str, version))
    if (3, 11) <= version <= (3, 13):
        return PYTHON.ok(f"Python {text}", sys.executable)
    return PYTHON.fail(f"Python {text}", sys.executable, "use 3.11, 3.12 or 3.13")
