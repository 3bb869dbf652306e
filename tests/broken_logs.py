"""Check a log with a defect: rejected as a whole, and read without it on request."""

import pytest

from closeread.errors import InputError
from closeread.runs.ingest import ingest


def assert_rejected_then_skipped(path, tmp_path, code, count, left, **beside):
    """Assert that a log is rejected with its defect counted, and that skipping keeps the rest."""
    out = tmp_path / "run"
    with pytest.raises(InputError) as refused:
        ingest([path], out, **beside)
    assert f"{code} {count}" in str(refused.value) and "--skip-bad" in str(refused.value)
    assert not out.exists() and not list(tmp_path.glob(".*.part"))
    found = ingest([path], out, skip_bad=True, **beside)
    (run,) = found.runs
    assert found.skipped[code] == run.info.log.skipped[code] == count
    assert run.info.n_predictions == left == len(list(run.dataset().questions()))
    return run
