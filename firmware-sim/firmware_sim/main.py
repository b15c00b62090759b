"""`firmware-sim`: the bench alone, a scenario, or the demo. Usage and errors; what they do lies in their modules."""

from __future__ import annotations

import secrets
import signal
import sys
import tempfile
import threading
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from firmware_sim import scenario as scenarios
from firmware_sim.bench import Bench
from firmware_sim.console import listen
from firmware_sim.demo import run_demo
from firmware_sim.demo_files import SOURCES
from firmware_sim.errors import BenchError
from firmware_sim.faults import WHAT, parse
from firmware_sim.text_sink import TextSink

FAULTS = "\n".join(f"{fault}: {what}" for fault, what in WHAT.items())


_reader = click.option("--reader", is_flag=True, help="A plain reader (`reader`) in the shoe's place.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="firmware-sim", prog_name="firmware-sim")
def cli() -> None:
    """The table's hardware, simulated."""


@cli.command(epilog=f"Faults:\n\n\b\n{FAULTS}")
@click.argument("scenario", type=click.Path(path_type=Path), required=False)
@click.option(
    "--bench", "alone", is_flag=True, help="No scenario: run the hardware and the automatic dealer until Ctrl-C."
)
@click.option(
    "--dir", "folder", type=click.Path(path_type=Path), required=True, help="Where ports and sockets are put."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Cards and players.")
@click.option("--fault", "faults", multiple=True, metavar="NAME[@HAND]", help="Something that goes wrong; see below.")
@click.option("--pace", type=click.FloatRange(min=0), default=0.0, show_default=True, help="Seconds for each act.")
@click.option("--robot/--no-robot", default=True, show_default=True, help="The automatic dealer (with --bench).")
@_reader
def run(
    scenario: Path | None,
    alone: bool,
    folder: Path,
    seed: int,
    faults: tuple[str, ...],
    pace: float,
    robot: bool,
    reader: bool,
) -> None:
    """Run SCENARIO (a TOML file), or the bench alone."""
    if alone == (scenario is not None):
        raise click.UsageError("give a SCENARIO or --bench, and not both")
    script = scenarios.load(scenario) if scenario is not None else None
    planned = [parse(text) for text in faults]
    with Bench(
        folder,
        script.seed if script else seed,
        robot=alone and robot,
        pace_s=script.pace_s if script else pace,
        reader=reader,
    ) as bench:
        for fault, hand in planned:
            bench.plan_fault(fault, hand)
        source = "reader" if reader else "shoe"
        click.echo(
            f"bench: {source} {folder / source}, pins {folder / 'gpio.sock'}, watching {folder / 'control.sock'}"
        )
        if script is None:
            listen(bench, sys.stdin or (), click.echo)
            threading.Event().wait()
        else:
            for line in scenarios.run(bench, script):
                click.echo(line)


@cli.command()
@click.option(
    "--game", default="jpoker", show_default=True, help="A rule set (tablectl rules list), or a house's TOML file."
)
@click.option("--hands", type=click.IntRange(min=1), help="So many hands without waiting; else until Ctrl-C.")
@click.option("--seed", type=int, help="Repeats cards and players of an earlier run.")
@click.option("--dir", "folder", type=click.Path(path_type=Path), help="Keeps journal and logs here.")
@click.option("--fault", "faults", multiple=True, metavar="NAME[@HAND]", help="As of `firmware-sim run`.")
@click.option(
    "--cards",
    type=click.Choice(list(SOURCES)),
    default="shoe",
    show_default=True,
    help="at_turn: dealt by hand. reader: a plain reader.",
)
@click.option("--shuffler", is_flag=True, help="A shuffler counts every deck before it is dealt.")
def demo(
    game: str,
    hands: int | None,
    seed: int | None,
    folder: Path | None,
    faults: tuple[str, ...],
    cards: str,
    shuffler: bool,
) -> None:
    """Bench, daemon and dealer together: hands as text, then the audit of the journal."""
    planned = [parse(text) for text in faults]
    seed = secrets.randbelow(1_000_000) if seed is None else seed
    kept = folder.absolute() if folder else Path(tempfile.mkdtemp(prefix="table-demo-"))
    click.echo(f"demo: {game}, seed {seed}, journal and logs in {kept}")
    sys.exit(run_demo(kept, game, hands, seed, planned, cards, shuffler=shuffler))


@cli.command()
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="0: any free one.")
@click.option("--deaf", is_flag=True, help="Takes the connection and never reads.")
def sink(port: int, deaf: bool) -> None:
    """A surveillance overlay or printer that listens on 127.0.0.1 and shows what it is told, until Ctrl-C."""
    peer = TextSink(port, deaf=deaf, told=click.echo).start()
    click.echo(f"sink: tcp://127.0.0.1:{peer.port}")
    threading.Event().wait()


def _as_interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> NoReturn:
    """Exit codes as everywhere: 0 fine, 1 a check failed, 2 usage, 4 a device, 5 in use already."""
    signal.signal(signal.SIGTERM, _as_interrupt)  # `kill` stops in order, as Ctrl-C does
    try:
        code = cli.main(prog_name="firmware-sim", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except BenchError as error:
        click.echo(error.line(), err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        context = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "firmware-sim"
        what = error.format_message().rstrip(".")
        click.echo(f"TC-0700 {what}: {context}: see {context} --help", err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
