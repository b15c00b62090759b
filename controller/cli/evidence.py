"""`tablectl evidence`: one hand as a file that proves itself, and as a page to print; and the check of such a file.

Reads a journal file and writes beside nothing of it; needs no key of the table and no operator.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import click

from controller.cli.audit import CHECKS, default_journal, parsed_key
from controller.cli.evidence_html import page
from controller.cli.evidence_words import TEXTS
from controller.cli.output import one_line, print_json, print_lines
from controller.domain.events import registry
from controller.journal.archive import file_of
from controller.journal.codec import Registry
from controller.journal.evidence import check, decoded, encoded, make
from controller.journal.reader import Reader


@click.command("evidence")
@click.argument("number", type=click.IntRange(min=1), metavar="[N]", required=False)
@click.argument("journal", type=click.Path(path_type=Path), required=False)
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path(), help="Folder for the two files (default: here)."
)
@click.option("--lang", type=click.Choice(sorted(TEXTS)), default="en", show_default=True, help="Language of the page.")
@click.option("--verify", type=click.Path(path_type=Path), metavar="FILE", help="Check this pack; make none.")
@click.option("--key", metavar="HEX", help="With --verify: the public key on the table's opening sheet.")
@click.option("--json", "as_json", is_flag=True, help="What was written, or found, as one JSON object.")
def evidence_command(
    number: int | None, journal: Path | None, out: Path, lang: str, verify: Path | None, key: str | None, as_json: bool
) -> None:
    """Write the evidence of hand N of JOURNAL: JSON that anyone can check, and HTML to print."""
    if verify is not None:
        _verify(verify, key, as_json)
        return
    if number is None:
        raise click.UsageError("give N, or --verify FILE")
    journal = journal or default_journal()
    with Reader(file_of(journal, number)) as reader:
        pack = make(reader, Registry(registry()), number, str(journal))
    data = encoded(pack)
    digest = hashlib.sha256(data).hexdigest()
    name = f"evidence-{_plain(pack.table)}-{number}"
    html = page(pack, lang, f"{name}.json", digest).encode()
    written = {f"{name}.json": data, f"{name}.html": html}
    out.mkdir(parents=True, exist_ok=True)
    for file, content in written.items():
        (out / file).write_bytes(content)
    hashes = {str(out / file): hashlib.sha256(content).hexdigest() for file, content in written.items()}
    if as_json:
        print_json({"hand": number, "public_key": pack.public_key, "files": hashes})
    else:
        print_lines([f"{file} SHA-256 {told}" for file, told in hashes.items()])


commands: list[click.Command] = [evidence_command]


def _verify(path: Path, key: str | None, as_json: bool) -> None:
    pack = decoded(path.read_bytes(), str(path))
    known = parsed_key(key)
    findings = check(pack, Registry(registry()), known, CHECKS.hands)
    if as_json:
        print_json({"ok": not findings, "table": pack.table, "hand": pack.hand, "public_key": pack.public_key,
                    "findings": findings})  # fmt: skip
    elif findings:
        print_lines([one_line(finding.what) for finding in findings])
    else:
        vouched = "with the given key" if known else f"by the key that it names itself: compare {pack.public_key}"
        print_lines([one_line(f"evidence: OK hand {pack.hand} of table {pack.table}, {vouched}")])
    if findings:
        click.get_current_context().exit(1)


def _plain(text: str) -> str:
    return "".join(char if char.isalnum() and char.isascii() else "-" for char in text)
