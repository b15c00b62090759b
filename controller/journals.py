"""A table's journal by its configuration: keys, an empty journal, an existing one. What events are is told to it here.

Constructs; decides nothing. Whoever opens one closes it.
"""

from __future__ import annotations

import os
from pathlib import Path

from controller.config import Config, KeysSection
from controller.domain import events as ev
from controller.journal import keys as key_files
from controller.journal.codec import Registry
from controller.journal.journal import Journal
from controller.journal.keys import Keys
from controller.journal.records import Stamp


def paths(config: Config) -> list[Path]:
    """The main file, and the mirror where there is to be one."""
    return [Path(config.journal.path), *([Path(config.journal.mirror)] if config.journal.mirror else [])]


def load_keys(section: KeysSection) -> Keys:
    """The pair that the configuration names."""
    return key_files.load_files(Path(section.signing), Path(section.credential))


def have_keys(section: KeysSection) -> Keys:
    """The same, made on first use. Where only one of the two files is there the making refuses to touch it."""
    signing, credential = Path(section.signing), Path(section.credential)
    if signing.exists() and credential.exists():
        return load_keys(section)
    return key_files.create_files(signing, credential, os.urandom)


def begin_journal(path: Path, *, table: str, keys: Keys, stamp: Stamp) -> Journal:
    """An empty journal of the table."""
    return Journal.create(
        path, table=table, keys=keys, registry=Registry(ev.registry()), entropy=os.urandom, stamp=stamp
    )


def open_journal(config: Config, keys: Keys) -> Journal:
    """The existing journal with its mirror, verified."""
    return Journal.open(
        Path(config.journal.path),
        table=config.table.id,
        keys=keys,
        registry=Registry(ev.registry()),
        entropy=os.urandom,
        mirror=Path(config.journal.mirror) if config.journal.mirror else None,
        witness=Path(config.journal.witness) if config.journal.witness else None,
    )
