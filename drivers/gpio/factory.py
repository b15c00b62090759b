"""Opens the pin factory that was asked for by name, or fails. Never looks for another one that might work (F40)."""

from __future__ import annotations

import os
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from gpiozero.exc import GPIOZeroError

from drivers.gpio.errors import PortError, backend_errors

VARIABLE = "GPIOZERO_PIN_FACTORY"
GROUP = "gpiozero_pin_factories"
DEFAULT = "lgpio"
# What a production table may use: the name, and where gpiozero keeps the class (an entry point can be anybody's).
REAL = {"lgpio": "gpiozero.pins.lgpio:LGPIOFactory", "native": "gpiozero.pins.native:NativeFactory"}


def open_factory(name: str | None, *, production: bool) -> Any:
    """The factory called `name` (None: lgpio), opened. A PortError names the module and the cause."""
    name = name or DEFAULT
    entry = _entry(name)
    if production and REAL.get(name) != entry.value:
        raise PortError(
            "factory_refused",
            f"pin factory {name!r} ({entry.value}) is not a real one",
            f"{VARIABLE}={name}",
            f"a production table takes {' or '.join(sorted(REAL))}",
        )
    if name == "lgpio":
        _check_work_folder()
    return _open(name, entry)


def factory_name(factory: Any) -> str:
    """The class by its full name, for the journal's first record of a run."""
    kind = type(factory)
    return f"{kind.__module__}:{kind.__qualname__}"


def _entry(name: str) -> EntryPoint:
    found = list(entry_points(group=GROUP, name=name))
    if len({entry.value for entry in found}) == 1:
        return found[0]
    problem = f"{len(found)} distributions offer" if found else "nothing installed offers"
    raise PortError(
        "factory_unknown",
        f"{problem} a pin factory {name!r}",
        f"{VARIABLE}={name}",
        "install it, or remove the wrong one",
    )


def _open(name: str, entry: EntryPoint) -> Any:
    where = f"{VARIABLE}={name}"
    try:
        kind = entry.load()
    except (ImportError, AttributeError, OSError, GPIOZeroError) as cause:
        missing = getattr(cause, "name", None) or entry.module
        what = f"pin factory {name!r} cannot be imported: module {missing}: {cause}"
        remedy = "install python3-lgpio" if name == "lgpio" else f"install what {entry.module} needs"
        raise PortError("factory_import", what, where, remedy) from cause
    try:
        return kind()
    except backend_errors() as cause:
        what = f"pin factory {name!r} cannot be opened: {entry.module}: {cause}"
        raise PortError(
            "factory_open", what, where, "check /dev/gpiochip* and that the user is in group gpio"
        ) from cause


def _check_work_folder() -> None:
    # lgpio makes a FIFO .lgd-nfy* in its working folder at import and fails darkly where it cannot (F42).
    folder = os.environ.get("LG_WD") or "."
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PortError(
            "work_folder",
            f"lgpio cannot write into its working folder {os.path.abspath(folder)}",
            "LG_WD or WorkingDirectory",
            "point it to the state folder of the service",
        )
