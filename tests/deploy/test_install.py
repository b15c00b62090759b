"""deploy/install.sh with a real Python and real packages, into a folder: complete, repeatable, reversible, careful."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.deploy.unit_file import DEPLOY, PYTHON, ROOT, install

LINE = re.compile(r"TC-013\d [^\n]+: [^\n]+: [^\n]+\n\Z")


def library(root: Path) -> Path:
    return root / "usr/lib/table-controller"


def copied(installed: Path, tmp_path: Path) -> Path:
    root = tmp_path / "root"
    shutil.copytree(installed, root, symlinks=True)
    return root


def tree(root: Path) -> dict[str, str]:
    """Every file and link, with what is in it."""
    return {
        str(path.relative_to(root)): str(path.readlink()) if path.is_symlink() else str(path.stat().st_mtime_ns)
        for path in root.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def test_the_folder_holds_the_table_s_own_set_and_every_module(installed: Path) -> None:
    home = library(installed) / "current"
    for package in ("controller", "drivers"):
        ours = {path.relative_to(ROOT) for path in (ROOT / package).rglob("*.*") if path.suffix in (".py", ".toml")}
        there = {path.relative_to(home) for path in (home / package).rglob("*.*") if path.suffix in (".py", ".toml")}
        assert there >= ours, "a package is missing in pyproject.toml"
    pinned = re.findall(r"^([\w-]+)==(\S+)", (home / "requirements.lock").read_text("utf-8"), re.MULTILINE)
    found = {name.lower() for name in (path.name.split("-")[0] for path in home.glob("*.dist-info"))}
    assert found == {name.replace("-", "_") for name, _ in pinned} | {"table_controller"}
    assert not (home / "firmware_sim").exists()


def test_the_table_s_lock_is_the_dependencies_with_the_versions_of_the_big_one() -> None:
    pins = {}
    for name in ("requirements.lock", "requirements-table.lock"):
        pins[name] = set(re.findall(r"^([\w-]+==[^ ;\\]+)", (ROOT / name).read_text("utf-8"), re.MULTILINE))
    assert pins["requirements-table.lock"] <= pins["requirements.lock"]
    project = (ROOT / "pyproject.toml").read_text("utf-8").split("dependencies = [")[1].split("\n]")[0]
    names = set(re.findall(r'^    "([\w-]+)', project, re.MULTILINE))
    assert names == set(re.findall(r"^[\w-]+$", (ROOT / "requirements-table.in").read_text("utf-8"), re.MULTILINE))


def test_a_second_run_changes_nothing(installed: Path) -> None:
    before = tree(library(installed))
    rules = (installed / "etc/udev/rules.d/99-table-controller.rules").read_text("utf-8")
    done = install(installed, "--python", PYTHON)
    assert done.returncode == 0, done.stderr
    assert tree(library(installed)) == before
    assert (installed / "etc/udev/rules.d/99-table-controller.rules").read_text("utf-8") == rules


def test_it_says_what_comes_next_until_there_is_a_configuration(installed: Path, tmp_path: Path) -> None:
    root = copied(installed, tmp_path)
    first = install(root, "--python", PYTHON).stdout
    assert "--init" in first and "table.toml" in first
    config = root / "etc/table-controller/table.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("the house's own", "utf-8")
    assert "--init" not in install(root, "--python", PYTHON).stdout
    assert config.read_text("utf-8") == "the house's own"


def test_back_to_the_version_before_and_forth_again(installed: Path, tmp_path: Path) -> None:
    root = copied(installed, tmp_path)
    new = (library(root) / "current").readlink()
    old = library(root) / "0.0.9-cp311-any-00000000"
    shutil.copytree(library(root) / "current", old)
    assert install(root, "--rollback", old.name).returncode == 0
    assert (library(root) / "current").readlink() == Path(old.name)
    listed = install(root, "--list").stdout.splitlines()
    assert listed == [f"{old.name} current", f"{new} previous"]
    assert install(root, "--rollback").returncode == 0
    assert (library(root) / "current").readlink() == new
    assert (library(root) / "previous").readlink() == Path(old.name)


def test_a_folder_of_another_python_is_not_run(installed: Path, tmp_path: Path) -> None:
    root = copied(installed, tmp_path)
    shutil.copytree(library(root) / "current", library(root) / "9.9.9-cp399-any-00000000")
    assert install(root, "--rollback", "9.9.9-cp399-any-00000000").returncode == 0
    done = subprocess.run([str(root / "usr/bin/tabled"), "--version"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert LINE.fullmatch(done.stderr) and "TC-0136" in done.stderr


def test_removal_leaves_what_is_the_house_s(installed: Path, tmp_path: Path) -> None:
    root = copied(installed, tmp_path)
    kept = [root / "etc/table-controller/table.toml", root / "var/lib/table-controller/journal.db"]
    for path in kept:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("kept", "utf-8")
    assert install(root, "--remove").returncode == 0
    left = [path for path in root.rglob("*") if path.is_file() or path.is_symlink()]
    assert sorted(left) == sorted(kept)


REFUSED = {
    "TC-0130 a value": ["--device"],
    "TC-0130 unknown": ["--frobnicate"],
    "TC-0130 not NAME": ["--device", "shoe"],
    'TC-0130 not NAME=SERIAL: --device shoe=a", RUN+="x': ["--device", 'shoe=a", RUN+="x'],
    "TC-0132": ["--python", "/bin/true/python9"],
    "TC-0135": ["--rollback"],
    "TC-0135 no such version 1.2.3": ["--rollback", "1.2.3"],
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_it_refuses_is_one_line_and_touches_nothing(said: str, tmp_path: Path) -> None:
    done = install(tmp_path, *REFUSED[said])
    assert done.returncode == 2
    assert LINE.fullmatch(done.stderr) and done.stderr.startswith(said), done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_program_of_somebody_else_is_not_overwritten(tmp_path: Path) -> None:
    other = tmp_path / "usr/bin/tabled"
    other.parent.mkdir(parents=True)
    other.write_text("#!/bin/sh\n", "utf-8")
    for options in ([], ["--remove"]):
        done = install(tmp_path, *options, "--python", PYTHON)
        assert done.returncode == 2 and "TC-0134" in done.stderr
    assert other.read_text("utf-8") == "#!/bin/sh\n"


def test_what_breaks_off_leaves_no_half_version(tmp_path: Path) -> None:
    empty = tmp_path / "wheels"
    empty.mkdir()
    done = install(tmp_path / "root", "--python", PYTHON, "--wheels", str(empty))
    assert done.returncode != 0
    assert not (tmp_path / "root/usr/bin").exists()
    assert list(library(tmp_path / "root").iterdir()) == []


def test_shell_is_shell(tmp_path: Path) -> None:
    assert subprocess.run(["bash", "-n", str(DEPLOY / "install.sh")], check=False).returncode == 0
