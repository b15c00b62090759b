"""`tabled --init` makes the first journal of a table, never one beside its past: that takes two people (F63)."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.app import initialise, open_journal
from controller.cli.memory_clear import cleared
from controller.config import Config, load_config
from controller.errors import TableError
from controller.journals import have_keys
from tests.doctor.tree import CONFIG


@pytest.fixture
def config(tmp_path: Path) -> Config:
    file = tmp_path / "table.toml"
    file.write_text(CONFIG.format(mode="production"), "utf-8")
    (tmp_path / "var").mkdir()
    return load_config(file, {})


@pytest.mark.parametrize("name", ["journal.db.aside-1", "journal-000001-000041.db"])
def test_a_table_with_a_past_is_not_begun_again(config: Config, name: str) -> None:
    past = Path(config.journal.path).with_name(name)
    past.write_bytes(b"what was")
    with pytest.raises(TableError, match="has a past") as refused:
        initialise(config)
    assert (refused.value.code, "memory-clear" in refused.value.remedy) == ("TC-0256", True)
    have_keys(config.keys)
    with pytest.raises(TableError) as missing:
        open_journal(config)
    assert (missing.value.code, "memory-clear" in missing.value.remedy) == ("TC-0226", True)
    assert not Path(config.journal.path).exists()


def test_a_new_table_has_nothing_to_clear(config: Config) -> None:
    have_keys(config.keys)
    with pytest.raises(TableError) as refused:
        cleared(config, ("s1", "s2"), lambda _: ("", ""))
    assert (refused.value.code, "--init" in refused.value.remedy) == ("TC-0236", True)
    assert not list(Path(config.journal.path).parent.iterdir())
    initialise(config)
    open_journal(config).close()
