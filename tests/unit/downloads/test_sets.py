"""The table of published sets says what the publishers say."""

import re
import shlex
from pathlib import Path, PurePosixPath

import pytest

from closeread.downloads import SETS, get_command, select
from closeread.errors import InputError
from closeread.formats import load

FILES = [file for found in SETS.values() for file in found.files]


def test_the_mrqa_groups_hold_the_published_files():
    """Eighteen files with MD5 sums; the training examples add up to the shared task's 516,819."""
    files = [
        file for name, found in SETS.items() if name.startswith("mrqa/") for file in found.files
    ]
    assert len(files) == 18
    assert all(re.fullmatch("[0-9a-f]{32}", file.md5) for file in files)
    assert sum(file.examples for file in SETS["mrqa/train"].files) == 516_819
    assert sum(file.examples for file in SETS["mrqa/in-domain-dev"].files) == 58_224
    assert sum(file.examples for file in SETS["mrqa/out-of-domain-dev"].files) == 9_633


def test_every_set_has_terms_a_paper_and_a_source():
    """No entry is without licence, citation, several addresses or instructions."""
    for found in SETS.values():
        assert found.description
        assert found.license
        assert found.citation
        for file in found.files:
            assert (len(set(file.addresses)) >= 2) != bool(found.by_hand), file.name


def test_checksums_and_names_are_well_formed():
    """Sums are lower-case hexadecimal, names are unique and stay in the folder."""
    for file in FILES:
        assert re.fullmatch("([0-9a-f]{64})?", file.sha256)
        assert re.fullmatch("([0-9a-f]{32})?", file.md5)
    names = [file.name for file in FILES] + [part.name for file in FILES for part in file.members]
    assert len(set(names)) == len(names)
    for name in names:
        assert ".." not in PurePosixPath(name).parts
        assert not PurePosixPath(name).is_absolute()


# Where the corpus keeps a file of the table.
CORPUS = {
    "vgaokao/test.json": "vgaokao/test.json",
    "gcrc-advrobust/dev.json": "gcrc_advrobust/dev_GCRCadvrobust.json",
    "gcrc-advrobust/test.json": "gcrc_advrobust/test_GCRCadvrobust_public.json",
    "drop-simple/drop_v0_dev.jsonl.gz": "drop/drop_v0_dev.jsonl.gz",
    "cmrc2018/dev.json": "cmrc2018/cmrc2018_dev.json",
    "cmrc2018/trial.json": "cmrc2018/cmrc2018_trial.json",
    "c3/c3-d-dev.json": "c3/c3-d-dev.json",
    "c3/c3-d-test.json": "c3/c3-d-test.json",
    "c3/c3-m-dev.json": "c3/c3-m-dev.json",
    "c3/c3-m-test.json": "c3/c3-m-test.json",
    "ocnli/train.10k.json": "ocnli/train.10k.json",
    "ocnli/dev.json": "ocnli/dev.json",
    "expmrc/expmrc-squad-dev.json": "expmrc/expmrc-squad-dev.json",
    "expmrc/expmrc-cmrc2018-dev.json": "expmrc/expmrc-cmrc2018-dev.json",
    "expmrc/expmrc-race-dev.json": "expmrc/expmrc-race-dev.json",
    "expmrc/expmrc-c3-dev.json": "expmrc/expmrc-c3-dev.json",
}


def test_a_missing_file_names_its_get_command(tmp_path):
    """Also one that is taken out of an archive; what nobody publishes is told without."""
    for file in FILES:
        for name in (file.name, *(member.name for member in file.members)):
            call = shlex.split(get_command(Path("data", name)))
            assert call[:2] == ["closeread", "get"]
            assert [found for _, _, found in select(call[2:])] == [file]
    path = tmp_path / "my sets" / "mrqa/train/SQuAD.jsonl.gz"
    with pytest.raises(InputError) as caught:
        load(path)
    to = f"--to '{tmp_path / 'my sets'}'"
    assert caught.value.cure == f"download it: `closeread get mrqa/train/SQuAD {to}`"
    assert get_command(Path("data/mrqa/train/mine.jsonl.gz")) == ""


def test_checksums_and_counts_match_the_real_files(corpus):
    """For every file of the table that the corpus has: its sum, and its questions as loaded."""
    known = {file.name: file for file in FILES}
    for name, place in CORPUS.items():
        dataset = load(corpus / "data" / place)
        assert dataset.sha256 == known[name].sha256, name
        if known[name].examples is not None:
            assert sum(1 for _ in dataset.questions()) == known[name].examples, name
    print(f"compared {len(CORPUS)} files")
