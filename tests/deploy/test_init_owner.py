"""`tabled --init` by root, for a daemon that runs under its own user."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from controller.app import initialise
from controller.config import load_config
from tests.doctor.tree import CONFIG


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_journal_belongs_to_whoever_owns_its_folder_and_the_keys_to_root(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(CONFIG.format(mode="production"), "utf-8")
    folder = tmp_path / "var"
    folder.mkdir()
    os.chown(folder, 4711, 4712)
    initialise(load_config(config, {}))
    made = list(folder.iterdir())
    assert folder / "journal.db" in made
    assert {(path.stat().st_uid, path.stat().st_gid) for path in made} == {(4711, 4712)}
    for name in ("signing.key", "credential.key"):
        found = (tmp_path / name).stat()
        assert (found.st_uid, found.st_mode & 0o777) == (0, 0o600)
