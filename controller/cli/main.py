"""`tablectl`: finds the command, loads its module alone, and turns every failure into one line and an exit code.

It knows no table and no journal itself; each module of this package exposes `commands: list[click.Command]`.
"""

from __future__ import annotations

import errno
import importlib
import importlib.util
import io
import os
import sys
from collections.abc import Sequence
from typing import TextIO

import click

from controller.cli.output import print_error
from controller.errors import TableError

# Command -> module of controller.cli. A module that is not installed (an extra) is simply not offered.
MODULES = {
    "status": "table",
    "watch": "table",
    "do": "table",
    "pair": "pair",
    "operator": "operators",
    "settle": "settle",
    "rank": "rank",
    "rules": "rules",
    "odds": "odds",
    "advise": "odds",
    "audit": "audit",
    "archive": "archive",
    "catalogue": "catalogue",
    "memory-clear": "memory_clear",
    "recall": "recall",
    "statistics": "statistics",
    "verify-hand": "recall",
    "doctor": "doctor",
    "learn-cards": "learn",
    "rng-test": "rng_test",
    "find": "find",
    "evidence": "evidence",
    "quiz": "quiz",
}


class LazyGroup(click.Group):
    """Imports a command's module when it is asked for: start-up costs what that command needs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(name for name in MODULES if _exists(MODULES[name]))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = MODULES.get(cmd_name)
        if module is None or not _exists(module):
            return None
        commands: list[click.Command] = importlib.import_module(f"controller.cli.{module}").commands
        return next((command for command in commands if command.name == cmd_name), None)


def _exists(module: str) -> bool:
    return importlib.util.find_spec(f"controller.cli.{module}") is not None


@click.group(cls=LazyGroup, name="tablectl", context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="table-controller", prog_name="tablectl")
def tablectl() -> None:
    """The technician's and the auditor's tool for a poker table."""


def main(argv: Sequence[str] | None = None) -> None:
    """Runs one command and exits: 0 fine, 1 a check failed, 2 usage or input, 3 journal, 4 device, 5 in use."""
    args = list(sys.argv[1:] if argv is None else argv)
    _forgiving(sys.stdout)
    _forgiving(sys.stderr)
    try:
        code = run(args)
    except BrokenPipeError:
        _quiet()
        code = 141  # as a shell shows a writer whose reader has gone
    sys.exit(code)


def run(args: list[str]) -> int:
    """The exit code of one command line; the error, if any, has been printed."""
    as_json = "--json" in (args[: args.index("--")] if "--" in args else args)
    try:
        code = _invoke(args)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (click.Abort, KeyboardInterrupt):
        return 130
    except TableError as error:
        return print_error(error, as_json)
    except click.ClickException as error:
        return print_error(_usage(error), as_json)
    except OSError as error:
        return print_error(_system(error), as_json)
    return code


def _invoke(args: list[str]) -> int:
    """Not click's own main: that one prints at Ctrl-C and decides about broken pipes itself."""
    try:
        with tablectl.make_context("tablectl", args) as context:
            result = tablectl.invoke(context)
    except click.exceptions.Exit as error:
        return error.exit_code
    # A command ends with None or its exit code.
    return result if isinstance(result, int) else 0


def _usage(error: click.ClickException) -> TableError:
    context = error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and context is not None:
        return TableError(190, "a command is missing", context.command_path, f"see {context.command_path} --help")
    where = context.command_path if context is not None else "tablectl"
    message = " ".join(error.format_message().split()).rstrip(".")
    return TableError(190, message, where, f"see {where} --help")


def _system(error: OSError) -> TableError:
    where = str(error.filename) if error.filename else "output"
    if error.errno == errno.ENOSPC:
        _quiet()
        return TableError(191, "no space left", where, "make room and repeat")
    return TableError(191, error.strerror or str(error), where, "check the file and its permissions")


def _quiet() -> None:
    """What stands unwritten would fail again at exit; it goes nowhere instead."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, io.UnsupportedOperation):
        return
    finally:
        os.close(nowhere)


def _forgiving(stream: TextIO) -> None:
    """A terminal that cannot show Russian gets escapes, not a traceback."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    main()
