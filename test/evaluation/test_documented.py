"""docs/evaluate.md names the variants that there are, and its file of questions can be read."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from zoneinfo import ZoneInfo

from remembr_ros.evaluation.own import read_cases
from remembr_ros.evaluation.variants import KEYFRAMES, VARIANTS

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "evaluate.md").read_text(encoding="utf-8")


def test_every_variant_is_documented_and_every_documented_one_is_there() -> None:
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", TEXT.split("## Variants")[1].split("\n## ")[0], re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == {*VARIANTS, KEYFRAMES}


def test_the_questions_shown_can_be_read(tmp_path: Path) -> None:
    block = re.search(r"((?:    .*\n)*    - id: coffee\n(?:    .*\n)*)", TEXT)
    assert block is not None
    file = tmp_path / "questions.yaml"
    file.write_text(textwrap.dedent(block[1]))
    cases = read_cases(file, ZoneInfo("Europe/Berlin"))
    assert [case.truth.kind.value for case in cases] == ["position", "time", "duration", "binary"]
    assert len(cases[0].truth.places) == 2 and cases[1].truth.times[0][1] - cases[1].truth.times[0][0] == 300 * 10**9
