"""What a journal file holds beside its records: one table, one index, the guards that refuse any change; no more.

Owns the statements and the comparison of a file with them. It must never mend a file: a missing guard is evidence.
"""

from __future__ import annotations

import sqlite3
from typing import Final

APPLICATION_ID: Final = 0x54434A31  # "TCJ1"

STATEMENTS: Final = (
    """CREATE TABLE journal(
         seq INTEGER PRIMARY KEY, stream TEXT NOT NULL, version INTEGER NOT NULL,
         prev BLOB NOT NULL, hash BLOB NOT NULL, body TEXT NOT NULL) STRICT""",
    "CREATE INDEX journal_stream ON journal(stream)",
    """CREATE TRIGGER journal_no_update BEFORE UPDATE ON journal
         BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
    """CREATE TRIGGER journal_no_delete BEFORE DELETE ON journal
         BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
    # INSERT OR REPLACE deletes without the trigger above, so the number itself is guarded.
    """CREATE TRIGGER journal_in_order BEFORE INSERT ON journal
         WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM journal)
         BEGIN SELECT RAISE(ABORT, 'not the next number'); END""",
)


def schema_fault(connection: sqlite3.Connection) -> str:
    """The first thing in which the file differs from one that the table made; empty where nothing does."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        return "the file is not marked as a journal (application_id)"
    found = {_text(name): _text(sql) for name, sql in connection.execute("SELECT name, sql FROM sqlite_master")}
    wanted = {statement.split("(")[0].split()[2]: statement for statement in STATEMENTS}
    for name in (*wanted, *found):
        if name not in found:
            return f"{name} is missing in the file"
        if name not in wanted:
            return f"the file holds {name!r}, which is no part of a journal"
        if found[name] != wanted[name]:
            return f"{name} was made anew in another way"
    below = connection.execute("SELECT count(*) FROM journal WHERE seq < 1").fetchone()[0]
    return f"{below} record(s) stand before record 1" if below else ""


def _text(value: bytes | str | None) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value or ""
