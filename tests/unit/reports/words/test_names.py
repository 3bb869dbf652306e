"""Names that stand in files have words in the report."""

import re

from closeread.reports.words.names import NAMES
from project_paths import ROOT


def test_every_defect_has_words():
    """Of all those that the page on formats lists, in both languages."""
    rows = re.findall(
        r"^\| `[a-z-]+` \|.*\|$", (ROOT / "docs/formats.md").read_text(), re.MULTILINE
    )
    last = [row.strip("| ").rpartition("|")[2] for row in rows]
    codes = {code for cell in last for code in re.findall(r"`([a-z]+(?:-[a-z]+)+)`", cell)}
    assert len(codes) > 15
    assert sorted(code for code in codes if f"defect.{code}" not in NAMES) == []
    assert all(all(NAMES[f"defect.{code}"]) for code in codes)
