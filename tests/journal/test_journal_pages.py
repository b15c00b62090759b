"""The pages that an outsider works from: their code is run, on our files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import journal_samples as samples

from controller.domain import joker

ROOT = Path(__file__).parents[2]


def _code(page: str, tmp_path: Path) -> Path:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)
    assert len(blocks) == 1
    script = tmp_path / "page.py"
    script.write_text(blocks[0])
    return script


def _run(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(script), *arguments], capture_output=True, text=True, check=False)


def test_the_draw_page_computes_the_golden_cases(tmp_path: Path) -> None:
    cases = json.loads((ROOT / "tests" / "golden" / "draw.json").read_text())["cases"]
    result = _run(_code("draw.md", tmp_path))
    first, second = cases[0], cases[1]
    assert result.stdout.split() == [first["commitment"], str(first["slot"]), str(second["slot"])]
    page = (ROOT / "docs" / "draw.md").read_text()
    for text in (first["commitment"], " ".join(first["words"][:4]), second["words"][0]):
        assert text in page
    assert joker.slot_text(second["slot"]) == second["shown"] == "Qs"


def test_the_auditor_of_the_journal_page_passes_a_good_file_and_no_other(tmp_path: Path) -> None:
    path = samples.journal_file(tmp_path / "journal.db", 2)
    script = _code("journal.md", tmp_path)
    result = _run(script, str(path))
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("22 records, 10 seals opened, head ")
    body = samples.body_of(path, 6).replace(b"2025-03-01", b"2025-03-02").decode()
    samples.tamper(path, [("UPDATE journal SET body = ? WHERE seq = 6", (body,))])
    assert "record 6" in _run(script, str(path)).stderr
    samples.rehash(path)
    assert _run(script, str(path)).returncode != 0
