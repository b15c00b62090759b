"""Training at this table: the same devices and people, other keys and another journal. A part of app.py's work.

Each training has a numbered journal of its own in the folder that table.toml names; the table's own journal says when
it began, and afterwards which journal it was and where that ended. Never writes into the table's own journal.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from controller import journals
from controller.config import Config, JournalSection, KeysSection
from controller.device_config import DecksSection
from controller.domain import events as ev
from controller.domain.state import Table
from controller.errors import TableError
from controller.runtime.clock import Clock
from controller.table import past


def training_config(config: Config, session: int) -> Config:
    """The table as it is in training: nothing of its own journal, no jackpot, no bet sensors, no shuffler."""
    folder = _folder(config)
    return msgspec.structs.replace(
        config,
        journal=JournalSection(path=str(folder / f"training-{session:04d}.db")),
        keys=KeysSection(credential=str(folder / "credential.key"), signing=str(folder / "signing.key")),
        jackpot=None,
        sensors=None,
        shuffler=None,
        decks=DecksSection(),
    )


def prepare(config: Config, session: int) -> Config:
    """Keys, once, and this training's empty journal; the configuration of its run."""
    try:
        return _prepared(config, session)
    except OSError as error:
        what = f"no training: its folder takes no journal ({error.strerror})"
        raise TableError(248, what, str(_folder(config)), "name a folder that the daemon may write") from None


def _prepared(config: Config, session: int) -> Config:
    _folder(config).mkdir(mode=0o700, parents=True, exist_ok=True)
    trained = training_config(config, session)
    journals.begin_journal(
        Path(trained.journal.path),
        table=config.table.id,
        keys=journals.have_keys(trained.keys),
        stamp=Clock(f"training-{session}").stamp(),
    ).close()
    return trained


def ended(config: Config, table: Table) -> ev.TrainingEnded:
    """What the training left, for the table's own journal; read from its journal, or why that cannot be read."""
    session = table.training
    try:
        trained = training_config(config, session)
        journal = journals.open_journal(trained, journals.load_keys(trained.keys))
        try:
            state = past.replay(journal).table
            return ev.TrainingEnded(
                session=session,
                journal=journal.identity.journal_id.hex(),
                head=journal.head.hex(),
                hands=state.hands,
                shoe_event=state.shoe.last_event,
            )
        finally:
            journal.close()
    except TableError as error:
        return ev.TrainingEnded(session=session, problem=error.line())


def _folder(config: Config) -> Path:
    if config.training is None:
        raise TableError(129, "no folder for training", "training.folder", "add [training] to table.toml")
    return Path(config.training.folder)
