"""The pages say what the code has: numbers of refusals and prompts, commands, links between pages."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from controller.domain.commands import public_commands
from controller.domain.rejections import Why
from controller.table import prompts

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
TABLE = (ROOT / "docs/table.md").read_text("utf-8")
ELSEWHERE = {"TC-0125", "TC-0126", "TC-0127", "TC-0102"}  # a refused start


def known() -> set[str]:
    said = {number for number, *_ in (*prompts._TEXTS.values(), *prompts._CAUSES.values())}
    return {f"TC-{number:04d}" for number in said | {why.number for why in Why}}


def test_every_number_has_its_line_in_the_page() -> None:
    first = [line.split("|")[1] for line in TABLE.splitlines() if line.startswith("| TC-")]
    assert sorted(re.findall(r"TC-\d{4}", " ".join(first))) == sorted(known()), "one line each, none twice"


def test_the_page_names_no_number_that_does_not_exist() -> None:
    assert set(re.findall(r"TC-\d{4}", TABLE)) <= known() | ELSEWHERE


def test_the_page_of_commands_names_each_with_its_arguments() -> None:
    part = (ROOT / "docs/control.md").read_text("utf-8").split("| command | arguments | does |")[1].split("\n\n")[0]
    told: dict[str, tuple[list[str], list[str]]] = {}
    for line in part.splitlines():
        _, names, arguments, *_ = line.split("|") if line.startswith("| `") else ("", "", "")
        needed, _, optional = arguments.partition("(")
        for name in words(names):
            told[name] = (words(needed), words(optional))
    fields = {name: msgspec.structs.fields(command) for name, command in public_commands().items()}
    assert told == {
        name: ([f.name for f in known if f.required], [f.name for f in known if not f.required])
        for name, known in fields.items()
    }


def words(text: str) -> list[str]:
    return re.findall(r"`(\w+)`", text)


def test_the_table_of_grades_names_commands_only() -> None:
    part = TABLE.split("| command | grade | when |")[1].split("\n\n")[0]
    first = " ".join(line.split("|")[1] for line in part.splitlines() if line.startswith("| `"))
    named = {word.split()[0] for word in re.findall(r"`([^`]+)`", first)}
    assert named == set(public_commands())


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?://|mailto:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.+)$", file.read_text("utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}, target
