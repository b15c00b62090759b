"""The record and who may touch it: keys, journal, operators. Reads alone, beside a daemon too."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path

from controller.config import Mode
from controller.control import operators
from controller.control.operators import OperatorFile, Role, pin_matches
from controller.doctor.finding import Finding, Topic
from controller.doctor.machine import Machine, Scene
from controller.domain.events import registry
from controller.errors import TableError
from controller.journal import keys
from controller.journal.auditing import Options
from controller.journal.codec import CodecError, Registry, read_body
from controller.journal.reader import Reader
from controller.journal.verify import audit
from controller.journal.walk import identity

KEYS = Topic(940)
SAME_KEY = Topic(941)
JOURNAL = Topic(942)
CLOCK = Topic(943)
PEOPLE = Topic(944)
PINS = Topic(945)
LINE_KEY = Topic(946)
EASY_PINS = ("1111", "2222", "3333", "1234", "123456")  # the bench's own, and the first that anyone tries


def probe(scene: Scene) -> Iterator[Finding]:
    """Keys first, then the journal that they sign, then the people."""
    pair = yield from _keys(scene)
    yield from _line_key(scene)
    yield from _journal(scene, pair)
    yield from _people(scene)


def _keys(scene: Scene) -> Generator[Finding, None, str | None]:
    """Yields findings, returns the public key in hex where the keys are good."""
    signing, credential = Path(scene.config.keys.signing), Path(scene.config.keys.credential)
    for path in (signing, credential):
        if path.with_name(f"{path.name}.cred").exists() and not path.exists():
            yield KEYS.skipped("encrypted for the unit alone", f"{path}.cred", "the daemon's start proves it")
            return None
    try:
        pair = keys.load_files(signing, credential)
    except TableError as error:
        yield _or_unseen(scene, signing, KEYS, error)
        return None
    yield from _modes(signing, credential)
    return pair.public_hex


def _line_key(scene: Scene) -> Iterator[Finding]:
    """The keys that seal the lines of shoe and shuffler."""
    shoe, shuffler = scene.config.shoe, scene.config.shuffler
    if shoe is not None:
        yield _paired(scene, "shoe", shoe.key)
    if shuffler is not None:
        yield _paired(scene, "shuffler", shuffler.key)


def _paired(scene: Scene, name: str, key: str | None) -> Finding:
    if key is None:
        remedy = f"tablectl pair, then {name}.key in table.toml; until then lock the cable away"
        return LINE_KEY.warn(f"the {name}'s line is in clear", f"{name}.key", remedy)
    path = Path(key)
    try:
        keys.read_key(path)
    except TableError as error:
        told = TableError(222, error.what, error.where, f"two people pair the {name}: tablectl pair")
        return _or_unseen(scene, path, LINE_KEY, error if path.exists() else told)
    if scene.machine.user.may_use(path):
        return LINE_KEY.ok(f"the {name} is paired", str(path))
    return LINE_KEY.fail(
        f"the daemon cannot read the {name}'s key", str(path), f"chown {scene.machine.user.name}: {path}"
    )


def _or_unseen(scene: Scene, path: Path, topic: Topic, error: TableError) -> Finding:
    """A failure, unless this user is simply not allowed to look."""
    if not scene.machine.root and _hidden(path):
        return topic.skipped(error.what, error.where, "run it with sudo")
    return topic.fail(error.what, error.where, error.remedy)


def _hidden(path: Path) -> bool:
    """Whether it is there, or may be, but not for this user to read."""
    try:
        path.stat()
    except PermissionError:
        return True
    except OSError:
        return False
    return not os.access(path, os.R_OK)


def _modes(*paths: Path) -> Iterator[Finding]:
    for path in paths:
        mode = path.stat().st_mode & 0o777
        if mode & 0o077:
            yield KEYS.fail(f"the key is open to others (mode {mode:04o})", str(path), f"chmod 0600 {path}")
        else:
            yield KEYS.ok(f"the key is there, for its owner alone (mode {mode:04o})", str(path))


# --- the journal


def _journal(scene: Scene, public: str | None) -> Iterator[Finding]:
    path = Path(scene.config.journal.path)
    try:
        yield from _same_key(path, public)
        yield _verified(path)
        yield _clock(scene.machine, path)
    except TableError as error:
        yield _or_unseen(scene, path, JOURNAL, error)
    except CodecError as error:
        yield JOURNAL.fail(f"the journal does not verify: {error}", str(path), "restore the mirror or a copy")


def _same_key(path: Path, public: str | None) -> Iterator[Finding]:
    with Reader(path) as reader:
        said = identity(next(reader.rows(0), None)).opened.public_key
    if public is None:
        yield SAME_KEY.skipped("without the keys nobody can compare", str(path))
    elif said == public:
        yield SAME_KEY.ok(f"the journal is signed with this key, {public[:16]}...", str(path))
    else:
        what = f"the journal's key is {said[:16]}..., the one here {public[:16]}..."
        yield SAME_KEY.fail(what, str(path), "restore the right keys, or the right journal")


def _verified(path: Path) -> Finding:
    report = audit(path, Registry(registry()), Options(chain_only=True, live=True))
    first = report.first
    if first is not None:
        return JOURNAL.fail(f"the journal does not verify: {first.what}", str(path), "run tablectl audit")
    return JOURNAL.ok(f"{report.records} records verified, head {report.head}", str(path))


def _clock(machine: Machine, path: Path) -> Finding:
    with Reader(path) as reader:
        last = read_body(next(reader.rows_back(reader.last + 1)).body).t
    if machine.now < last:
        remedy = "set the clock (timedatectl set-time): the table goes on, but its labels run backwards"
        return CLOCK.fail(f"the clock says {machine.now}, the last record {last}", str(path), remedy)
    return CLOCK.ok(f"the clock is behind no record (the last one {last})", str(path))


# --- the people


def _people(scene: Scene) -> Iterator[Finding]:
    path = Path(scene.config.control.operators)
    try:
        found = operators.load(path)
    except TableError as error:
        yield _or_unseen(scene, path, PEOPLE, error)
        return
    missing = [str(role) for role in (Role.DEALER, Role.SUPERVISOR) if not _with(found, role)]
    if missing:
        remedy = f"tablectl operator add ID --name NAME --role {missing[0]} --file {path}"
        yield PEOPLE.fail(f"nobody is {' or '.join(missing)}", str(path), remedy)
    elif path.stat().st_uid not in (scene.machine.user.uid, 0) or not scene.machine.user.may_use(path):
        yield PEOPLE.fail("the daemon cannot read it", str(path), f"chown {scene.machine.user.name}: {path}")
    else:
        yield PEOPLE.ok(f"{len(found.operators)} operators, a dealer and a supervisor among them", str(path))
    yield _easy(found, path, scene.config.table.mode)


def _with(found: OperatorFile, role: Role) -> bool:
    return any(role in one.roles for one in found.operators)


def _easy(found: OperatorFile, path: Path, mode: Mode) -> Finding:
    easy = [one.id for one in found.operators if any(pin_matches(pin, one.pin) for pin in EASY_PINS)]
    if easy:
        remedy = f"tablectl operator reset {easy[0]} --file {path}"
        say = PINS.fail if mode is Mode.PRODUCTION else PINS.warn
        return say(f"a PIN that everybody knows: {', '.join(easy)}", str(path), remedy)
    return PINS.ok("no operator has one of the PINs that everybody tries first", str(path))
