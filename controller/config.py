"""table.toml to frozen structs. Owns every key's name, type, range and default; docs/configuration.md is its page.

A mistake is one TableError naming file, key and what is allowed; nothing is guessed, nothing unknown is passed over.
Paths come out absolute: relative ones start at the configuration's folder. It opens no device and no socket.
"""

from __future__ import annotations

import enum
import os
import tomllib
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field

from controller.config_shape import Mistake, nearest, shape
from controller.device_config import DecksSection, ShoeSection, ShufflerSection, devices_wrong
from controller.domain.choices import DrawTiming, ExposedDealer, Exposure, JokerTime, SettleMode, SettleOrder
from controller.domain.paytable import Category
from controller.domain.state import CardSource, DeclaredBy, Equipment, StakeEntry
from controller.equipment import equipment_wrong
from controller.errors import TableError
from controller.peripheral_config import BadgeSection, OverlaySection, PrinterSection, TraySection, wrong_pattern
from controller.watch_config import AlarmsSection, DoorsSection, SensorsSection, sensors_wrong

MAX_BYTES = 256 * 1024  # a configuration of a table has a few kilobytes; anything else is another file


class Mode(enum.StrEnum):
    PRODUCTION = "production"
    BENCH = "bench"


class Language(enum.StrEnum):
    EN = "en"
    RU = "ru"


class LogLevel(enum.StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


Money = Annotated[int, Meta(ge=1, le=10**12)]
MoneyOrNothing = Annotated[int, Meta(ge=0, le=10**12)]
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,31}\Z")]
Text = Annotated[str, Meta(min_length=1, max_length=4096, pattern=r"^[^\x00-\x1f]*\Z")]
Pin = Annotated[int, Meta(ge=0, le=27)]

# BCM numbers of docs/wiring.md, section 1 (a test compares them), and those that no contact can have.
DEFAULT_PINS: Mapping[str, int] = types.MappingProxyType(
    {
        "START": 5, "STOP": 6, "JACKPOT": 12,
        "K1": 13, "K2": 16, "K3": 17, "K4": 18, "K5": 19, "K6": 20,
        "FOLD": 21, "BET": 22, "CHANGE": 23, "EXTRA": 24, "BACK": 25, "OK": 27,
        "SWITCH": 4, "DOOR": 2, "JACKPOT_LAMP": 26,
    }
)  # fmt: skip
RESERVED_PINS = frozenset({0, 1, 7, 8, 9, 10, 11})  # identification EEPROM and the SPI chain


class TableSection(Struct, frozen=True, kw_only=True):
    id: Name
    rules: Text
    boxes: Annotated[int, Meta(ge=1, le=7)]
    mode: Mode = Mode.PRODUCTION
    language: Language = Language.EN
    equipment: Equipment = Equipment.FULL
    cards: CardSource = CardSource.SHOE


class LimitsSection(Struct, frozen=True, kw_only=True):
    """The plate, in minor units. Not part of the rule set: one supervisor changes it between hands."""

    ante_min: Money
    ante_max: Money
    cap: Money
    chips: Annotated[tuple[Money, ...], Meta(min_length=6, max_length=6)]
    bonus_max: MoneyOrNothing = 0


class ProcedureSection(Struct, frozen=True, kw_only=True):
    """How the house deals. None: as the rule set says."""

    stop_timeout_s: Annotated[int, Meta(ge=1, le=120)] = 10
    max_unknown: Annotated[int, Meta(ge=0, le=5)] = 2
    max_open_boxes: Annotated[int, Meta(ge=1, le=7)] | None = None
    equal_antes: bool | None = None
    exposed_player: Exposure = Exposure.PLAYS
    exposed_dealer: ExposedDealer = ExposedDealer.MISDEAL
    declared_by: DeclaredBy = DeclaredBy.SUPERVISOR
    stake_entry: StakeEntry = StakeEntry.BEFORE_DEAL
    settle_mode: SettleMode = SettleMode.BOX_BY_BOX
    discard_check_from: Category = Category.TRIPS
    settle_order: SettleOrder | None = None
    joker_time: JokerTime | None = None
    draw_timing: DrawTiming | None = None


class JackpotSection(Struct, frozen=True, kw_only=True):
    """This table's own progressive. `meter`: what it shows at the first opening, where not the rule set's `base`."""

    stake: MoneyOrNothing
    meter: Annotated[str, Meta(pattern=r"^[0-9]{1,12}(\.[0-9]{1,6})?\Z")] | None = None
    award_limit: MoneyOrNothing = 0


class JournalSection(Struct, frozen=True, kw_only=True):
    """`witness`: a small file on another medium that knows the newest record. `archive_hands`: of one file."""

    path: Text
    mirror: Text | None = None
    witness: Text | None = None
    archive_hands: Annotated[int, Meta(ge=1, le=10**6)] | None = None


class KeysSection(Struct, frozen=True, kw_only=True):
    """Files, or names of systemd credentials where $CREDENTIALS_DIRECTORY is set."""

    credential: Text
    signing: Text


class ControlSection(Struct, frozen=True, kw_only=True):
    operators: Text
    socket: Text = "/run/table-controller/control.sock"


class ReaderSection(Struct, frozen=True, kw_only=True):
    """A plain reader. `codes`: which printed code is which card (docs/readers.md)."""

    port: Text
    codes: Text
    baud: Annotated[int, Meta(ge=1200, le=4_000_000)] = 9600


class TrainingSection(Struct, frozen=True, kw_only=True):
    """`folder`: where trainings keep their own keys and journals."""

    folder: Text


class GpioSection(Struct, frozen=True, kw_only=True):
    factory: Name = "lgpio"
    settle_ms: Annotated[int, Meta(ge=1, le=200)] = 10
    pins: dict[str, Pin] = field(default_factory=lambda: dict(DEFAULT_PINS))


class UsbSection(Struct, frozen=True, kw_only=True):
    """What may be plugged in, as vendor:product:serial with `*` for any; `tablectl doctor` reports everything else."""

    allow: tuple[
        Annotated[str, Meta(pattern=r"^[0-9a-f*]{1,4}:[0-9a-f*]{1,4}:[^\x00-\x1f]*\Z", max_length=256)], ...
    ] = ()


class LogSection(Struct, frozen=True, kw_only=True):
    level: LogLevel = LogLevel.INFO
    file: Text | None = None


class Config(Struct, frozen=True, kw_only=True):
    """A whole table.toml."""

    table: TableSection
    limits: LimitsSection
    journal: JournalSection
    keys: KeysSection
    control: ControlSection
    procedure: ProcedureSection = ProcedureSection()
    shoe: ShoeSection | None = None
    reader: ReaderSection | None = None
    badge: BadgeSection | None = None
    tray: TraySection | None = None
    overlay: OverlaySection | None = None
    printer: PrinterSection | None = None
    jackpot: JackpotSection | None = None
    gpio: GpioSection = field(default_factory=GpioSection)
    sensors: SensorsSection | None = None
    doors: DoorsSection = DoorsSection()
    alarms: AlarmsSection = AlarmsSection()
    training: TrainingSection | None = None
    log: LogSection = LogSection()
    usb: UsbSection = UsbSection()
    shuffler: ShufflerSection | None = None
    decks: DecksSection = DecksSection()


def load_config(path: Path, environ: Mapping[str, str] | None = None) -> Config:
    """The configuration in `path`, or the first mistake as a TableError (exit 2)."""
    raw = _read(path)
    mistakes = list(shape(Config, raw, ""))
    if not mistakes:
        config = msgspec.convert(_with_default_pins(raw), Config)
        mistakes = list(_sense(config))
        if not mistakes:
            return _absolute(config, path, os.environ if environ is None else environ)
    first = mistakes[0]
    more = f" (and {len(mistakes) - 1} more)" if len(mistakes) > 1 else ""
    raise TableError(102, f"{first.what}{more}", f"{path}, key {first.key}", first.allowed)


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        remedy = "name a readable file with --config (examples: deploy/config)"
        raise TableError(101, f"cannot read the configuration, {error.strerror}", str(path), remedy) from None
    if len(data) > MAX_BYTES:
        raise TableError(101, f"more than {MAX_BYTES} bytes", str(path), "name a table.toml with --config")
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        where = f"{path}, byte {error.start}"
        raise TableError(101, "the configuration is not UTF-8", where, "save the file as UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise TableError(101, f"not TOML, {error}", str(path), "correct the file at that place") from None


# --- sense: what two keys say together


def _sense(config: Config) -> Iterator[Mistake]:
    limits, table = config.limits, config.table
    if limits.ante_min > limits.ante_max:
        what = f"limits.ante_min {limits.ante_min} is above limits.ante_max {limits.ante_max}"
        yield Mistake("limits.ante_min", what, f"give at most {limits.ante_max}")
    if list(limits.chips) != sorted(set(limits.chips)):
        yield Mistake("limits.chips", "limits.chips do not rise", "give six different denominations, smallest first")
    if (config.procedure.max_open_boxes or 0) > table.boxes:
        what = f"procedure.max_open_boxes {config.procedure.max_open_boxes} is more than the table's boxes"
        yield Mistake("procedure.max_open_boxes", what, f"give at most table.boxes, {table.boxes}")
    if table.cards is CardSource.SHOE and config.shoe is None and config.reader is None:
        remedy = 'add [shoe] with port = "/dev/...", or set table.cards to "at_turn" or "none"'
        yield Mistake("shoe", "missing section shoe", remedy)
    if config.shoe is not None and config.reader is not None:
        yield Mistake("reader", "both [shoe] and [reader]", "keep the one that reads the cards as they are dealt")
    for what in wrong_pattern(config.badge.pattern, "badge") if config.badge is not None else ():
        yield Mistake("badge.pattern", f"badge.pattern {what}", "give a regular expression for a whole line")
    if table.mode is Mode.PRODUCTION and config.gpio.factory != "lgpio":
        what = f"gpio.factory {config.gpio.factory!r} in production"
        yield Mistake("gpio.factory", what, 'give "lgpio", or set table.mode to "bench"')
    yield from _one_file_one_use(config)
    witness = config.journal.witness
    if witness and os.path.dirname(os.path.normpath(witness)) == os.path.dirname(os.path.normpath(config.journal.path)):
        remedy = "give a path on another medium: whoever puts an old journal back there puts both back"
        yield Mistake("journal.witness", "journal.witness lies in the journal's own folder", remedy)
    sections = tuple(name for name in ("shoe", "reader", "sensors") if getattr(config, name) is not None)
    yield from (Mistake(*wrong) for wrong in equipment_wrong(table.equipment, table.cards, sections))
    jackpot_stake = config.jackpot.stake if config.jackpot else 0
    yield from (Mistake(*wrong) for wrong in sensors_wrong(config.sensors, jackpot_stake, limits.bonus_max))
    yield from (Mistake(*w) for w in devices_wrong(config.shoe, config.shuffler, table.mode is Mode.PRODUCTION))
    yield from _pins(config.gpio.pins)


def _one_file_one_use(config: Config) -> Iterator[Mistake]:
    """A file named for two purposes would be set aside or written over by one of them."""
    shoe, shuffler, reader = config.shoe, config.shuffler, config.reader
    taken: dict[str, str] = {}
    for key, name in (
        ("journal.path", config.journal.path),
        ("keys.credential", config.keys.credential),
        ("keys.signing", config.keys.signing),
        ("control.operators", config.control.operators),
        ("control.socket", config.control.socket),
        ("log.file", config.log.file),
        ("shoe.key", shoe and shoe.key),
        ("shuffler.key", shuffler and shuffler.key),
        ("reader.codes", reader and reader.codes),
        ("journal.mirror", config.journal.mirror),
        ("journal.witness", config.journal.witness),
    ):
        if not name:
            continue
        file = os.path.normpath(name)
        if file in taken:
            yield Mistake(
                key, f"{key} is the file of {taken[file]}", "give each its own file, mirror and witness on other media"
            )
        taken.setdefault(file, key)


def _pins(pins: Mapping[str, int]) -> Iterator[Mistake]:
    taken: dict[int, str] = {}
    for name, number in pins.items():
        if name not in DEFAULT_PINS:
            yield Mistake(f"gpio.pins.{name}", f"unknown key gpio.pins.{name}", nearest(name, DEFAULT_PINS))
        elif number in RESERVED_PINS:
            what = f"gpio.pins.{name} is pin {number}, which SPI or the EEPROM needs"
            yield Mistake(f"gpio.pins.{name}", what, "give a free BCM number (docs/wiring.md)")
        elif number in taken:
            what = f"gpio.pins.{name} and gpio.pins.{taken[number]} are both pin {number}"
            yield Mistake(f"gpio.pins.{name}", what, "give each its own BCM number (docs/wiring.md)")
        taken.setdefault(number, name)


def _with_default_pins(raw: dict[str, Any]) -> dict[str, Any]:
    gpio = dict(raw.get("gpio", {}))
    gpio["pins"] = {**DEFAULT_PINS, **gpio.get("pins", {})}
    return {**raw, "gpio": gpio}


# --- paths


def _absolute(config: Config, source: Path, environ: Mapping[str, str]) -> Config:
    folder = source.resolve().parent

    def at(text: str) -> str:
        return str(folder / text)

    def port(text: str) -> str:
        return text if text.startswith("tcp://") else at(text)

    def secret(name: str) -> str:
        credentials = environ.get("CREDENTIALS_DIRECTORY")
        return str(Path(credentials) / name) if credentials and "/" not in name else at(name)

    replace = msgspec.structs.replace
    journal, log, table = config.journal, config.log, config.table
    rules = at(table.rules) if table.rules.endswith(".toml") else table.rules
    return replace(
        config,
        table=replace(table, rules=rules),
        journal=replace(
            journal,
            path=at(journal.path),
            mirror=journal.mirror and at(journal.mirror),
            witness=journal.witness and at(journal.witness),
        ),
        keys=KeysSection(credential=secret(config.keys.credential), signing=secret(config.keys.signing)),
        control=ControlSection(operators=at(config.control.operators), socket=at(config.control.socket)),
        shoe=config.shoe
        and replace(config.shoe, port=at(config.shoe.port), key=config.shoe.key and at(config.shoe.key)),
        tray=config.tray and replace(config.tray, port=at(config.tray.port), codes=at(config.tray.codes)),
        overlay=config.overlay and replace(config.overlay, port=port(config.overlay.port)),
        printer=config.printer and replace(config.printer, port=port(config.printer.port)),
        badge=config.badge and replace(config.badge, port=at(config.badge.port)),
        reader=config.reader and replace(config.reader, port=at(config.reader.port), codes=at(config.reader.codes)),
        shuffler=config.shuffler and replace(config.shuffler, key=config.shuffler.key and at(config.shuffler.key)),
        log=replace(log, file=log.file and at(log.file)),
        training=config.training and TrainingSection(folder=at(config.training.folder)),
    )
