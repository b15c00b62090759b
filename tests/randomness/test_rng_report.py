"""R2: the command, its exit code, a report that whoever has the public key can check. R4, R6: STOP is a trigger."""

from __future__ import annotations

import inspect
import json
import os
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from phase_locked import stopped
from steady import steady

from controller.cli import rng_test
from controller.cli.rng_test import rng_test_command
from controller.domain import joker
from controller.errors import TableError
from controller.journal import keys as key_files
from controller.randomness import battery, report, sources
from controller.randomness.report import Plan, Report, decoded, encoded, examine

SMALL = Plan(draws=50_000, streams=10, doc_weight=3, control_draws=200_000)


def silent(stage: str, done: int, of: int) -> None:
    pass


@pytest.fixture(scope="module")
def made() -> Report:
    stages: list[tuple[str, int, int]] = []
    found = examine(SMALL, steady("report"), lambda *s: stages.append(s), program="1", code="c", t="t")
    assert {stage for stage, _, _ in stages} == {*sources.STREAMS, "controls"}
    return found


def test_a_good_draw_passes_and_the_controls_fail(made: Report) -> None:
    assert made.ok, [v for v in made.verdicts if not v.passed]
    assert len(made.verdicts) == 3 * (len(battery.TESTS) + 1)
    assert all(control.found_by for control in made.controls)
    assert [proof.exact for proof in made.mapping] == [True, True]
    assert all(len(v.p_values) == 10 for v in made.verdicts if v.test in battery.TESTS)


@pytest.mark.parametrize("bad", ["constant", "modulo", "counter"])
def test_a_bad_draw_fails_the_report(monkeypatch: pytest.MonkeyPatch, bad: str) -> None:
    monkeypatch.setattr(report, "STREAMS", {"draws": (sources.CONTROLS[bad], None)})
    monkeypatch.setattr(report, "CONTROLS", {"biased": sources.biased})
    assert not examine(SMALL, steady(bad), silent, program="1", code="c", t="t").ok


def test_a_battery_that_passes_a_bad_source_fails_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "STREAMS", {"draws": sources.STREAMS["draws"]})
    monkeypatch.setattr(report, "CONTROLS", {"none": sources.draws})
    found = examine(Plan(draws=50_000, streams=10, doc_weight=3, control_draws=50_000), steady("x"), silent,
                    program="1", code="c", t="t")  # fmt: skip
    assert (found.controls[0].found_by, found.ok) == ([], False)


def test_a_signed_report_is_checked_with_the_public_key_alone(made: Report) -> None:
    key = Ed25519PrivateKey.generate()
    data = encoded(made, key)
    assert decoded(data + b"\n", key.public_key()).verdicts == made.verdicts
    for at in range(0, len(data), 97):
        touched = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        with pytest.raises(ValueError, match=r"report|signature"):
            decoded(touched, key.public_key())
    with pytest.raises(ValueError, match="does not hold"):
        decoded(data, Ed25519PrivateKey.generate().public_key())
    with pytest.raises(ValueError, match="no signed report"):
        decoded(encoded(made, None), None)


def test_the_command(tmp_path: Path, made: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = key_files.create(tmp_path, os.urandom)
    monkeypatch.setattr(rng_test, "examine", lambda *given, **told: made)
    asked = ["--sign", str(tmp_path / key_files.SIGNING), "--report", str(tmp_path / "report.json")]
    result = CliRunner().invoke(rng_test_command, asked)
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-1].startswith("rng-test: OK at 99%")
    assert "control modulo: found by" in result.output
    check = ["--verify", str(tmp_path / "report.json"), "--key", keys.public_hex]
    assert CliRunner().invoke(rng_test_command, check).exit_code == 0
    told = json.loads(CliRunner().invoke(rng_test_command, [*check, "--json"]).output)
    assert (told["ok"], told["public_key"]) == (True, keys.public_hex)
    for wrong in ("zz", "11" * 31, "ключ"):
        refused = CliRunner().invoke(rng_test_command, [*check[:2], "--key", wrong]).exception
        assert isinstance(refused, TableError)
        assert (refused.code, refused.exit_code, refused.where) == ("TC-0101", 2, "--key")  # the report is not at fault
    error = CliRunner().invoke(rng_test_command, [*check[:2], "--key", "11" * 32]).exception
    assert isinstance(error, TableError)
    assert error.exit_code == 1
    monkeypatch.setattr(rng_test, "examine", lambda *given, **told: msgspec.structs.replace(made, ok=False))
    result = CliRunner().invoke(rng_test_command, ["--json"])
    assert (result.exit_code, json.loads(result.output)["ok"]) == (1, False)


def test_a_draw_is_told_nothing_but_its_labels() -> None:
    """R6: no stake, no card, no clock, no earlier result."""
    assert list(inspect.signature(joker.draw_slot).parameters) == [
        "seed",
        "witness",
        "table",
        "hand",
        "draw",
        "weights",
    ]


def test_stop_at_a_fixed_phase_draws_as_well_as_ever() -> None:
    """R4: 20,000 hands whose STOP comes at one and the same moment; `make soak` plays 200,000."""
    entropy = steady("stop")
    found = report.judged(
        "stop", lambda _, weights, many: stopped(entropy, many), joker.joker_weights(3), 20_000, 10, 0.01 / 8, entropy
    )
    assert [verdict.test for verdict in found if not verdict.passed] == []
