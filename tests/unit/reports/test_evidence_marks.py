"""What the page calls uncovered is what the project's own explanation calls so."""

from closeread.evidence.cover import explain
from closeread.reports.evidence_marks import cover_options, cover_question, locate_evidence
from closeread.types import Evidence, Option, Passage, Question, Span

PASSAGE = Passage(passage_id="p", text="Rain feeds the lake. Snow is one of its sources. 😀 Snow.")
QUESTION = Question(
    question_id="q",
    passage_id="p",
    text="Which is true?",
    kind="verification",
    options=(
        Option(label="A", text="Snow is the only one of the sources of the lake"),
        Option(label="B", text="Rain feeds the lake"),
    ),
)


def test_marks_equal_the_explanation():
    """One rule says what is covered: each option's own evidence goes through it."""
    found = explain(QUESTION, PASSAGE, QUESTION.options[0])
    option = cover_options(QUESTION, PASSAGE, [found.evidence])[0]
    assert option.uncovered == list(found.uncovered)
    assert [span.of(QUESTION.options[0].text) for span in option.uncovered] == ["the only"]


def test_covered_parts_have_both_places():
    """Each covered part of an option has the part of the passage that says it."""
    spans = (Span(0, 20), Span(21, 48))
    option = cover_options(QUESTION, PASSAGE, [Evidence(spans=spans)])[0]
    said = QUESTION.options[0].text
    pairs = [(said[a:b], PASSAGE.text[c:d]) for a, b, c, d in option.covered]
    assert ("the lake", "the lake") in pairs
    assert ("Snow is", "Snow is") in pairs
    assert all(mine == theirs for mine, theirs in pairs)


def test_options_without_evidence_use_the_questions():
    """Evidence without label bears on every option; where there is none, nothing is uncovered."""
    whole = [Evidence(spans=(Span(0, 20),))]
    parts = cover_options(QUESTION, PASSAGE, whole)
    assert parts[1].uncovered == []
    assert parts[0].uncovered != []
    labelled = [Evidence(spans=(Span(21, 48),), option_label="B")]
    assert cover_options(QUESTION, PASSAGE, labelled)[0] == ([], [])
    assert cover_options(QUESTION, None, whole) == []
    assert cover_options(QUESTION, PASSAGE, []) == []


def test_a_question_without_options_is_the_claim():
    """As the terminal explains it; where options are the claims, it is not."""
    plain = Question(question_id="q", passage_id="p", text="What feeds the salt lake?", kind="span")
    found = explain(plain, PASSAGE, None, Evidence(spans=(Span(0, 20),)))
    over = cover_question(plain, PASSAGE, [found.evidence])
    assert over.uncovered == list(found.uncovered)
    assert [span.of(plain.text) for span in over.uncovered] == ["salt"]
    assert [plain.text[a:b] for a, b, _, _ in over.covered] == ["feeds the", "lake"]
    assert [PASSAGE.text[c:d] for _, _, c, d in over.covered] == ["feeds the", "lake"]
    assert cover_options(plain, PASSAGE, [found.evidence]) == []
    assert cover_question(QUESTION, PASSAGE, [found.evidence]) is None
    assert cover_question(plain, PASSAGE, []) is None
    assert cover_question(plain, None, [found.evidence]) is None


def test_entailment_labels_are_not_claims():
    """The hypothesis is the question's text; "entailment" stands in no passage."""
    options = (Option(label="e", text="entailment"), Option(label="c", text="contradiction"))
    judged = Question(
        question_id="q", passage_id="p", text="Rain feeds it.", kind="entailment", options=options
    )
    evidence = [Evidence(spans=(Span(0, 20),))]
    assert cover_options(judged, PASSAGE, evidence) == []
    assert [
        judged.text[a:b] for a, b, _, _ in cover_question(judged, PASSAGE, evidence).covered
    ] == ["Rain feeds"]


def test_text_evidence_gets_its_only_occurrence():
    """A text that stands in the passage twice, or not at all, has no place."""
    given = [
        Evidence(texts=("Rain feeds the lake.",)),
        Evidence(texts=("Snow", "nowhere", "😀")),
        Evidence(spans=(Span(0, 4),), texts=("Rain",)),
    ]
    assert [one.spans for one in locate_evidence(given, PASSAGE)] == [
        (Span(0, 20),),
        (Span(49, 50),),
        (Span(0, 4),),
    ]
    assert locate_evidence(given, None) == tuple(given)
