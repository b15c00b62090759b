"""The evidence page as a browser lays it out: nothing runs over the edge, and what matters can be read on it.

Needs Chromium (scripts/test-tools brings it): frames of two widths hold the pages, and a script in the outer document
measures them.
"""

from __future__ import annotations

import html
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import lab_journals
import pytest
from harness import Rig, make_setup
from harness_parts import registry
from test_table_every_game import Player

from controller.cli.evidence_html import page
from controller.journal.evidence import Pack, make
from controller.journal.reader import Reader

BROWSER = shutil.which("chromium")
WIDTHS = (360, 1280)
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-component-update",
    "--disable-background-networking", "--disable-sync",
)  # fmt: skip
MEASURE = """<script>onload = () => { document.title = JSON.stringify(
[...document.querySelectorAll('iframe')].map(f => {
const d = f.contentDocument, r = [...d.querySelectorAll('*')].map(e => e.getBoundingClientRect().right);
return {right: Math.max(...r), wide: d.documentElement.scrollWidth, text: d.body.innerText};})) }</script>"""


def pack_of(path: Path, number: int) -> Pack:
    with Reader(path) as reader:
        return make(reader, registry(), number, str(path))


def full_table(folder: Path, rules: str, boxes: int) -> Path:
    """Two hands with every kind of decision."""
    folder.mkdir()
    rig = Rig(folder, make_setup(rules, boxes=boxes, ante_min=10)).open()
    rig.taint = False
    player = Player(rig, 5)
    player.hand(), player.hand()
    return lab_journals.ended(rig)


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str, int], dict[str, Any]]:
    """By hand, language and width what the browser says of a page."""
    if BROWSER is None:
        pytest.skip("chromium is not here: nobody looks at the evidence page (scripts/test-tools installs it)")
    tmp = tmp_path_factory.mktemp("pages")
    jpoker = lab_journals.jpoker(tmp / "j", 200)
    packs = {
        "void": pack_of(jpoker, 3),
        "hit": pack_of(lab_journals.progressive(tmp / "p"), 2),
        "jpoker": pack_of(full_table(tmp / "f", "jpoker", 6), 2),
        "oasis": pack_of(full_table(tmp / "o", "oasis_ru", 7), 2),
    }
    asked = [(name, language, width) for name in packs for language in ("en", "ru") for width in WIDTHS]
    frames = [_frame(page(packs[name], language, f"{name}.json", "ab" * 32), width) for name, language, width in asked]
    outer = tmp / "outer.html"
    outer.write_text(f"<!doctype html><meta charset=utf-8>{''.join(frames)}{MEASURE}", "utf-8")
    told = _browser(outer, tmp / "profile")
    return dict(zip(asked, told, strict=True))


def _frame(text: str, width: int) -> str:
    return f'<iframe style="border:0" width={width} height=600 srcdoc="{html.escape(text, quote=True)}"></iframe>'


def _browser(path: Path, profile: Path) -> list[dict[str, Any]]:
    assert BROWSER is not None
    command = [BROWSER, *QUIET, f"--user-data-dir={profile}", "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    title = done.stdout.partition("<title>")[2].partition("</title>")[0]
    found: list[dict[str, Any]] = json.loads(html.unescape(title))
    return found


def test_nothing_runs_over_the_edge(rendered: dict[tuple[str, str, int], dict[str, Any]]) -> None:
    for (name, language, width), told in rendered.items():
        assert told["wide"] <= width and told["right"] <= width, (name, language, width, told["wide"], told["right"])


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("void", {"en": ["void: deck", "ante 20", "None was read."], "ru": ["отменена: deck", "анте 20"]}),
        ("hit", {"en": ["25000.70 -> 10000.40", "royal flush", "+27010"], "ru": ["роял-флеш", "+27010"]}),
        ("jpoker", {"en": ["Joker of the hand", "Commitment"], "ru": ["Джокер раздачи", "рассчитана"]}),
        ("oasis", {"en": ["exchange, raise", "fee -"], "ru": ["обмен, бет", "бонус 2: проигрыш -2"]}),
    ],
)
def test_the_facts_can_be_read_at_any_width(
    rendered: dict[tuple[str, str, int], dict[str, Any]], name: str, facts: dict[str, list[str]]
) -> None:
    for language, wanted in facts.items():
        for width in WIDTHS:
            text = rendered[name, language, width]["text"]
            assert [fact for fact in wanted if fact not in text] == [], (language, width)
