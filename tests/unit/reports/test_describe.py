"""Counts of a data set, checked by hand on a small one and against the paper on VGaokao."""

import json
from pathlib import Path

import pytest

from closeread import formats
from closeread.reports.describe import describe, description_as_json
from command_line import closeread

PASSAGE = "甲来了。乙走了。丙在等丁。\n戊也在。"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.json"
    question = {
        "qid": "1",
        "question": "下列说法不正确的一项是",
        "options": ["甲来了。", "乙来了。", "丙等丁。", "戊在。"],
        "answer": "B",
        "correctness": [1, 0, 1, 1],
        "golden_evidence": [["甲来了。"], ["甲来了。", "乙走了。", "戊也在。"], [], ["不在"]],
    }
    data = [{"cid": 1, "context": PASSAGE, "qas": [question, question | {"qid": "1"}]}]
    path.write_text(json.dumps({"version": "v", "data": data}, ensure_ascii=False), "utf-8")
    return path


def test_a_small_set_equals_hand_counts(small: Path):
    """Lengths, vocabulary, polarity, evidence and defects of two questions."""
    found = describe(formats.load(small))
    assert (found.passages, found.questions, found.verification_stems) == (1, 2, 2)
    assert found.asks_for == {"contradicted": 2}
    assert found.right_options == {"B": 2}
    assert found.options_a_question == {4: 2}
    passage = found.lengths["passage"]
    assert (passage.texts, passage.mean_characters, passage.max_characters) == (1, len(PASSAGE), 18)
    assert (passage.mean_words, passage.vocabulary) == (13, 11)
    assert found.lengths["option"].texts == 8
    assert found.total_vocabulary == len(set("甲来了乙走丙在等丁戊也下列说法不正确的一项是"))
    assert (found.sentences, found.mean_sentence_characters) == (4, 17 / 4)
    evidence = found.evidence
    assert evidence is not None
    assert (evidence.options, evidence.questions, evidence.pieces) == (4, 2, 8)
    assert (evidence.mean_pieces_an_option, evidence.share_with_several) == (2, 0.5)
    assert evidence.pieces_of_options == {1: 2, 3: 2}
    assert evidence.distances == {1: 2, 2: 2}
    assert evidence.mean_distance == 1.5
    assert found.defects == {"evidence-not-found": 2, "duplicate-id": 1}
    assert found.defect_examples["duplicate-id"] == ["1: the id 1 occurs twice"]


def test_options_are_counted_by_the_strategy_that_changed_them(tmp_path: Path, capsys):
    """As GCRC_advRobust's table of its sets; a strategy of the question's own is counted apart."""
    of = {"A": "keyword", "B": "logic", "C": "keyword"}
    options = [{"label": a, "text": a, "tags": {"strategy": s}} for a, s in of.items()]
    question = {"question_id": "q", "passage_id": "p", "text": "?", "kind": "choice"}
    question |= {"options": [*options, {"label": "D", "text": "D"}]}
    line = {"passage": {"passage_id": "p", "text": PASSAGE}}
    line |= {"questions": [question, question | {"tags": {"strategy": "typo+distractor"}}]}
    path = tmp_path / "attacked.jsonl"
    path.write_text(json.dumps(line, ensure_ascii=False), "utf-8")
    found = describe(formats.load(path))
    assert found.option_strategies == {"keyword": 4, "logic": 2}
    assert found.question_strategies == {"distractor": 1, "typo": 1}
    assert closeread("describe", path) == 0
    assert "options changed by         keyword 4, logic 2" in capsys.readouterr().out


def test_json_has_every_field(small: Path):
    """Empty fields are there too, keys are strings, and it says what the vocabulary counts."""
    plain = description_as_json(describe(formats.load(small)))
    assert plain["groups"] == 0
    assert plain["roles"] == {}
    assert plain["evidence"]["pieces_of_options"] == {"1": 2, "3": 2}
    assert "single characters" in plain["vocabulary_counts"]
    json.dumps(plain)


def test_jieba_segments_chinese_on_request(tmp_path: Path):
    """Marks are no words; other languages are counted as ever."""
    pytest.importorskip("rjieba", reason="needs the extra `zh`")
    rows = [
        {"id": "1", "passage": "他来到北京清华大学。北京！", "question": "谁来到北京？"},
        {"id": "2", "passage": "The 3 cats sat. The cats ran.", "question": "Who ran?"},
    ]
    path = tmp_path / "mixed.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    by_words = describe(formats.load(path), "jieba")
    passage = by_words.lengths["passage"]
    assert (passage.max_words, passage.vocabulary) == (7, 4 + 5)  # 他 来到 北京 清华大学
    assert by_words.total_vocabulary == 4 + 1 + 5 + 1  # and 谁, who
    assert "jieba" in description_as_json(by_words)["vocabulary_counts"]
    assert describe(formats.load(path)).lengths["passage"].vocabulary == 9 + 5


def test_evidence_references_are_not_options(tmp_path: Path, capsys):
    """ExpMRC gives each question its evidence two or three times; one of them is enough."""
    text = "Ann ran. Bo sat. Cy hid."
    answers = [{"text": "Ann", "answer_start": 0}]
    asked = [
        {"id": "1", "question": "Who?", "answers": answers, "evidences": ["Ann ran.", "Bo sat."]},
        {"id": "2", "question": "Who?", "answers": answers, "evidences": ["Ann ran."]},
    ]
    path = tmp_path / "set.json"
    value = {"version": "", "data": [{"paragraphs": [{"context": text, "qas": asked}]}]}
    path.write_text(json.dumps(value), "utf-8")
    evidence = describe(formats.load(path, "expmrc")).evidence
    assert evidence is not None
    assert (evidence.options, evidence.questions, evidence.of_options) == (2, 2, False)
    assert (evidence.references, evidence.pieces, evidence.mean_pieces_a_question) == (3, 2, 1)
    assert closeread("describe", path, "--format", "expmrc") == 0
    told = capsys.readouterr().out
    assert "questions with evidence        2\n" in told
    assert "references                     3, each enough" in told
    assert "option" not in told


def test_english_words_are_counted(tmp_path: Path):
    """In English words and numbers are counted, in lower case."""
    path = tmp_path / "en.json"
    value = {"p": {"passage": "The 3 cats sat. The cats ran.", "qa_pairs": []}}
    path.write_text(json.dumps(value), "utf-8")
    found = describe(formats.load(path))
    assert found.lengths["passage"].max_words == 7
    assert found.lengths["passage"].vocabulary == 5
    assert found.evidence is None
    assert found.lengths["question"].mean_characters is None


def test_vgaokao_test_set_matches_the_paper(corpus: Path):
    """The test fifth of VGaokao has the paper's mean lengths: 1,159, 18 and 47 characters."""
    found = describe(formats.load(corpus / "data/vgaokao/test.json"))
    assert (found.passages, found.questions) == (557, 700)
    assert found.verification_stems == 700
    assert found.lengths["passage"].mean_characters == pytest.approx(1159, rel=0.01)
    assert found.lengths["question"].mean_characters == pytest.approx(18, abs=1)
    assert found.lengths["option"].mean_characters == pytest.approx(47, abs=1)
    assert found.lengths["passage"].max_characters <= 2568
    assert found.lengths["question"].max_characters <= 60
    assert found.lengths["option"].max_characters <= 147


def test_vgaokaos_vocabulary_is_close_to_the_papers(corpus: Path):
    """Table 2: 96,806 in 2,786 passages, 1,245 in 3,512 stems, 34,789 in their options."""
    pytest.importorskip("rjieba", reason="needs the extra `zh`")
    found = describe(formats.load(corpus / "data/vgaokao/test.json"), "jieba")
    counted = [found.lengths[name].vocabulary for name in ("passage", "question", "option")]
    for part, whole in zip(counted, (96_806, 1_245, 34_789), strict=True):
        assert 0.2 * whole < part < 0.5 * whole


def test_annotated_evidence_matches_the_paper(corpus: Path):
    """The visible half of the annotated options: about 1.6 pieces, 47 % with several."""
    found = describe(formats.load(corpus / "data/vgaokao/sample_annotation_visible.json"))
    assert found.evidence is not None
    assert (found.evidence.options, found.evidence.pieces) == (52, 80)
    assert found.evidence.mean_pieces_an_option == pytest.approx(1.6, abs=0.1)
    assert found.evidence.share_with_several == pytest.approx(0.47, abs=0.05)
    assert min(found.evidence.distances) == 1
