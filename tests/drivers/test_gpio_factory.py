"""The pin factory: the one that was named, or an error that says why (F40, F42)."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, version
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from drivers.gpio import factory as module
from drivers.gpio.errors import PortError
from drivers.gpio.factory import GROUP, factory_name, open_factory


def fake(monkeypatch: pytest.MonkeyPatch, *entries: EntryPoint) -> None:
    def find(*, group: str, name: str) -> list[EntryPoint]:
        return [entry for entry in entries if (entry.group, entry.name) == (group, name)]

    monkeypatch.setattr(module, "entry_points", find)


def refused(name: str | None, *, production: bool) -> PortError:
    with pytest.raises(PortError) as caught:
        open_factory(name, production=production)
    return caught.value


def test_f40_lgpio_unimportable_is_one_line_and_no_other_factory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lgpio", None)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    for name in ("lgpio", None):
        for production in (True, False):
            fault = refused(name, production=production)
            assert fault.code == "factory_import" and "lgpio" in fault.what and "import of lgpio halted" in fault.what
            assert "\n" not in str(fault) and "python3-lgpio" in fault.remedy


def test_f40_the_chosen_class_by_name() -> None:
    assert factory_name(open_factory("mock", production=False)) == "gpiozero.pins.mock:MockFactory"
    assert version("gpiozero").startswith("2.0.1")


@pytest.mark.parametrize("name", ["mock", "pigpio", "rpigpio"])
def test_production_refuses_any_but_the_real_ones(name: str) -> None:
    fault = refused(name, production=True)
    assert fault.code == "factory_refused" and name in fault.what and "lgpio or native" in fault.remedy


def test_production_refuses_a_stranger_under_a_real_name(monkeypatch: pytest.MonkeyPatch) -> None:
    fake(monkeypatch, EntryPoint("lgpio", "gpiozero.pins.mock:MockFactory", GROUP))
    assert refused("lgpio", production=True).code == "factory_refused"


def test_two_distributions_with_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    fake(
        monkeypatch,
        EntryPoint("native", "a:B", GROUP),
        EntryPoint("native", "gpiozero.pins.native:NativeFactory", GROUP),
    )
    assert refused("native", production=True).code == "factory_unknown"


def test_a_name_that_nobody_offers() -> None:
    fault = refused("nonesuch", production=False)
    assert fault.code == "factory_unknown" and "GPIOZERO_PIN_FACTORY=nonesuch" in fault.where


def test_a_factory_that_cannot_be_opened_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: MockFactory) -> None:
        raise OSError("no /dev/gpiochip0")

    monkeypatch.setattr(MockFactory, "__init__", fails)
    fault = refused("mock", production=False)
    assert fault.code == "factory_open" and "no /dev/gpiochip0" in fault.what and "gpiozero.pins.mock" in fault.what


def test_f42_lgpio_needs_a_folder_that_it_can_write(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LG_WD", str(tmp_path / "absent"))
    fault = refused("lgpio", production=True)
    assert fault.code == "work_folder" and str(tmp_path) in fault.what
