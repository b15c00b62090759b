"""`tablectl doctor` as it is run: order, exit codes, JSON; beside a running daemon; and its page names every number."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import controller.doctor
from controller.doctor import probes
from controller.doctor.finding import Level
from tests.children import Child
from tests.doctor.tree import Tree
from tests.hil.commands import BIN, tablectl, tablectl_here
from tests.hil.rig import Rig, devices_ready, table

ROOT = Path(__file__).parents[2]


def findings(config: Path) -> tuple[int, dict[str, list[dict[str, str]]]]:
    done = tablectl_here("doctor", "--config", str(config), "--json")
    found: dict[str, list[dict[str, str]]] = {}
    for one in json.loads(done.stdout)["findings"]:
        found.setdefault(one["code"], []).append(one)
    return done.returncode, found


def test_a_configuration_that_does_not_load_is_the_one_finding(tree: Tree) -> None:
    path = tree.config()
    path.write_text(path.read_text().replace("boxes", "boxs"))
    code, found = findings(path)
    assert code == 1
    assert list(found) == ["TC-0900"]
    assert found["TC-0900"][0]["level"] == "fail" and "TC-0102" in found["TC-0900"][0]["what"]


def test_bad_usage_is_two() -> None:
    done = tablectl_here("doctor", "--frobnicate")
    assert done.returncode == 2 and done.stderr.startswith("TC-0190")


def test_text_and_json_say_the_same(tree: Tree) -> None:
    path = tree.config(mode="bench")
    done = tablectl("doctor", "--config", str(path))
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"doctor: FAILED \d+ ok, \d+ warn, \d+ fail, \d+ skipped", lines[-1])
    assert all(re.match(r"(ok|warn|fail|skipped) +TC-09\d\d \S", line) for line in lines[:-1])
    asked = tablectl("doctor", "--config", str(path), "--json")
    said = json.loads(asked.stdout)
    assert said["ok"] is False and asked.returncode == 1
    assert [one["code"] for one in said["findings"]] == [line.split()[1] for line in lines[:-1]]


def test_a_probe_that_may_not_look_stops_no_other(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(_: object) -> object:
        raise PermissionError(13, "Permission denied", "/proc/secret")
        yield

    monkeypatch.setitem(probes.PROBES, "ports", blind)
    found = list(probes.examine(tree.machine(), tree.config()))
    (unseen,) = [one for one in found if one.code == "TC-0999"]
    assert unseen.level is Level.SKIPPED and "/proc/secret" in unseen.where and "sudo" in unseen.remedy
    assert any(one.code == "TC-0960" for one in found)


def test_the_page_names_every_number_and_no_other() -> None:
    page = (ROOT / "docs/doctor.md").read_text("utf-8")
    told = re.findall(r"^\| TC-(\d{4}) \|", page, re.MULTILINE)
    code = "".join(path.read_text("utf-8") for path in Path(controller.doctor.__file__).parent.glob("*.py"))
    known = sorted(f"{int(number):04d}" for number in re.findall(r"Topic\((\d+)\)", code))
    assert told == known, "one line each, in order"


@pytest.mark.hil
def test_beside_a_running_daemon_nothing_is_disturbed() -> None:
    """F16: the port's holder is named; the daemon keeps its port, its pins and its journal."""
    with table(seed=3) as rig:
        assert rig.child is not None
        rig.play_until(lambda snap: snap["phase"] == "dealing")
        before, records = rig.now["version"], len(rig.records())
        _, found = findings(rig.config)
        assert f"held by the daemon, pid {rig.child.pid}" in found["TC-0902"][0]["what"]
        assert "firmware_sim" in found["TC-0905"][0]["what"]
        assert found["TC-0926"][0]["level"] == "ok", found["TC-0926"]
        assert found["TC-0942"][0]["level"] == "ok", found["TC-0942"]
        assert (rig.now["version"], len(rig.records())) == (before, records)
        assert devices_ready(rig.now)
        rig.play_hands(1)
        assert rig.stop()[0] == 0
        rig.audit()


@pytest.mark.hil
def test_f16_a_stranger_on_the_port_is_named_with_pid_and_name() -> None:
    with Rig() as rig:
        held = rig.folder / "shoe"
        code = f"import os,sys; os.open({str(held)!r}, os.O_RDWR | os.O_NOCTTY); print('open'); sys.stdin.read()"
        with Child([sys.executable, "-uc", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            assert child.stdin is not None and child.stdout is not None
            assert child.stdout.readline() == b"open\n"
            exit_code, found = findings(rig.config)
            child.stdin.close()
        strangers = [one for one in found["TC-0902"] if f"port in use by pid {child.pid} (python" in one["what"]]
        assert exit_code == 1 and len(strangers) == 1 and strangers[0]["level"] == "fail"


@pytest.mark.hil
def test_the_environment_of_a_bench_is_the_daemon_s() -> None:
    """On a bench the factory that is named really opens, beside no daemon."""
    with Rig() as rig:
        command = [str(BIN / "tablectl"), "doctor", "--config", str(rig.config), "--json"]
        done = subprocess.run(command, env=rig.environ(), capture_output=True, text=True, check=False)
        said = {one["code"]: one for one in json.loads(done.stdout)["findings"]}
        assert said["TC-0905"]["level"] == "ok" and "firmware_sim" in said["TC-0905"]["what"]
        rig.start()
        assert rig.stop()[0] == 0
