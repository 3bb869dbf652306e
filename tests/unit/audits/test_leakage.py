"""What a reader may have seen that it should not have."""

import json
import math
import random
import re
from collections import Counter
from itertools import product
from pathlib import Path

import msgspec
import pytest

from audit_runs import PASSAGES, load_run, make_run
from closeread import load
from closeread.attacks.apply import apply
from closeread.attacks.triples import as_group_member
from closeread.audits import shortcuts
from closeread.audits.leakage import _count_all_different, check
from closeread.audits.overlaps import shared_passages
from closeread.audits.scorers import default_scorer
from closeread.audits.subject import Subject
from closeread.reports.words.audit_sentences import SENTENCES
from closeread.runs.ingest import ingest
from closeread.types import Answer, Edit, Option, Passage, Prediction, Question, Span, Submission

FEW_SHOT = Path(__file__).parents[1] / "logs/fixtures/lm_eval_few_shot"


def make_subject(questions, predictions, passages=()):
    return Subject(
        name="run", dataset="set", sha256="", questions=tuple(questions),
        passages={one.passage_id: one for one in passages},
        submission=Submission(predictions={one.question_id: one for one in predictions}),
    )  # fmt: skip


def triples(pick):
    questions, predictions = [], []
    rng = random.Random(5)
    for place in range(200):
        letters = rng.sample("ABCD", 3)
        for turn, role in enumerate(("original", "positive", "negative")):
            name = f"t{place}#{role}"
            questions.append(
                Question(
                    question_id=name, passage_id=f"p{place}", text="?", kind="verification",
                    options=tuple(Option(label=label, text=label * 3) for label in "ABCD"),
                    answers=(Answer(kind="choice", label=letters[turn]),),
                    group_id=f"t{place}", role=role,
                )
            )  # fmt: skip
            label = pick(rng, letters, turn)
            predictions.append(
                Prediction(question_id=name, answer=Answer(kind="choice", label=label))
            )
    return make_subject(questions, predictions)


def test_letters_that_always_differ_are_suspicious():
    """A reader that saw the siblings: wrong, but never twice the same letter."""
    state = {}

    def repaired(rng, letters, turn):
        if turn == 0:
            state["left"] = rng.sample("ABCD", 3)
        return state["left"][turn]

    found = check(triples(repaired))
    assert found.verdict == "broken"
    assert found.data["siblings"]["distinct"] == 200


@pytest.mark.parametrize(
    "pick",
    [
        lambda rng, letters, turn: rng.choice("ABCD"),
        lambda rng, letters, turn: letters[turn],
        lambda rng, letters, turn: letters[0],
    ],
)
def test_guesses_right_answers_and_repeats_are_not_suspicious(pick):
    """Right letters differ, too."""
    assert check(triples(pick)).verdict == "sound"


@pytest.mark.parametrize("percent", [50, 60, 70, 80, 90, 95])
def test_a_good_reader_is_sound_and_a_peeking_one_is_found(percent):
    """Right letters differ, and more triples do than are right as a whole or than guesses would."""
    state = {}

    def honest(rng, letters, turn):
        right = rng.randrange(100) < percent
        return letters[turn] if right else rng.choice(sorted({*"ABCD"} - {letters[turn]}))

    def peeking(rng, letters, turn):
        state["seen"] = seen = state["seen"] if turn else []
        label = honest(rng, letters, turn)
        seen.append(rng.choice(sorted({*"ABCD"} - {*seen})) if label in seen else label)
        return seen[-1]

    assert check(triples(honest)).verdict == "sound"
    assert check(triples(peeking)).verdict == "broken"


def test_options_named_by_their_texts_count_as_letters():
    """As they may be handed in: who was right at all triples was said to have repaired them."""
    honest = triples(lambda rng, letters, turn: letters[turn] if rng.random() < 0.8 else "A")
    said = honest.submission.predictions
    named_by_text = [
        msgspec.structs.replace(one, answer=Answer(kind="span", texts=(one.answer.label * 3,)))
        for one in said.values()
    ]
    by_text = make_subject(honest.questions, named_by_text)
    found, same = check(by_text), check(honest)
    assert found.verdict == same.verdict == "sound"
    assert found.tables == same.tables


def test_the_expected_number_equals_the_enumerated_one():
    """Right letters as they are; a wrong one is any wrong letter of its role but the right one."""
    one = triples(
        lambda rng, letters, turn: letters[turn] if rng.random() < 0.6 else rng.choice("AABCD")
    )
    pairs = [
        (question.answers[0].label, prediction.answer.label)
        for question, prediction in one.answered()
    ]
    wrong = [[said for gold, said in pairs[turn::3] if said != gold] for turn in range(3)]
    expected = 0.0
    for place in range(0, len(pairs), 3):
        drawn = [
            [gold] if gold == said else [letter for letter in wrong[turn] if letter != gold]
            for turn, (gold, said) in enumerate(pairs[place : place + 3])
        ]
        differ = [len({*letters}) == 3 for letters in product(*drawn)]
        expected += sum(differ) / len(differ)
    assert check(one).data["siblings"]["expected"] == pytest.approx(expected)


def test_a_single_triple_is_not_suspicious():
    """Of a reader that always says A but once, no other triple could have three letters."""
    said = iter(["A", "B", "C"] + 597 * ["A"])
    assert check(triples(lambda rng, letters, turn: next(said))).verdict == "sound"


def test_the_published_baseline_is_sound(corpus, tmp_path):
    """Only 8 of its 336 triples have three letters."""
    from closeread.formats.submissions import load_submission
    from closeread.runs.from_submission import save_submission

    folder = corpus / "data/gcrc_advrobust"
    dataset = load(folder / "dev_GCRCadvrobust.json")
    file = folder / "dev_GCRCadvrobust_predict.json"
    run = save_submission(dataset, load_submission(file, dataset), (file,), tmp_path / "baseline")
    siblings = check(load_run(run)).data["siblings"]
    assert (siblings["gold_distinct"], siblings["distinct"], siblings["triples"]) == (336, 8, 336)


def test_a_training_passage_that_shares_text_is_found(tmp_path):
    """Thirty characters, or thirteen words, in a row."""
    one = load_run(make_run(tmp_path, "gold", lambda gold: gold))
    train = tmp_path / "train.jsonl"
    texts = [f"Long ago. {PASSAGES[0][0]} And so on.", "Nothing in common with any of the others."]
    train.write_text(
        "".join(
            json.dumps({"context": f"Passage: {text}\nQuestion: What?\nAnswer:", "ref_text": "x"})
            + "\n"
            for text in texts
        )
    )
    found = check(one, load(train))
    assert found.verdict == "broken"
    assert len(found.data["shared"]) == 1
    assert "(3 questions)" in found.headline


@pytest.mark.parametrize(("n", "count"), [(1, "(1 question)"), (2, "(2 questions)")])
def test_the_headline_counts_questions_in_the_singular_and_the_plural(tmp_path, n, count):
    text = " ".join(f"word{index}" for index in range(20))
    (tmp_path / "train.jsonl").write_text(
        json.dumps({"context": f"Passage: {text}\nQuestion: What?\nAnswer:", "ref_text": "x"})
        + "\n"
    )
    golds = (Answer(kind="span", texts=("word3",)),)
    questions = [
        Question(question_id=str(index), passage_id="p", text="?", kind="span", answers=golds)
        for index in range(n)
    ]
    run = make_subject(questions, [], [Passage(passage_id="p", text=text, language="en")])
    headline = check(run, load(tmp_path / "train.jsonl")).headline
    assert f"1 of 1 passages {count} share text with " in headline
    assert SENTENCES.say(headline, "zh") != headline


def check_windows(n_words, said_at, many=60):
    """Audit so many wrong answers on a passage, each at a place that depends on the gold."""
    rng = random.Random(1)
    words = [f"w{place}" for place in range(n_words)]
    text = " ".join(words)
    places = [Span(at.start(), at.end()) for at in re.finditer(r"\S+", text)]
    questions, predictions = [], []
    for number in range(many):
        gold = rng.randrange(n_words)
        said = gold
        while said == gold:
            said = min(max(said_at(rng, gold), 0), n_words - 1)
        gold_answer, answer = (
            Answer(kind="span", texts=(words[at],), spans=(places[at],)) for at in (gold, said)
        )
        name = f"q{number}"
        questions.append(Question(question_id=name, passage_id="p", text="?", kind="span",
                                  answers=(gold_answer,)))  # fmt: skip
        predictions.append(Prediction(question_id=name, answer=answer))
    return check(make_subject(questions, predictions, [Passage(passage_id="p", text=text)]))


def place_near_gold(rng, gold):
    return gold + rng.randrange(-300, 300)


def test_windows_without_gold_that_were_skipped_are_found():
    """Wrong answers on long passages that never leave the gold answer's window."""
    assert check_windows(2000, place_near_gold).verdict == "broken"
    assert check_windows(2000, lambda rng, gold: rng.randrange(2000)).verdict == "sound"


def test_errors_near_the_answer_are_not_skipped_windows():
    """On passages hardly longer than a window sixty such answers leave none by chance, too."""
    found = check_windows(600, place_near_gold)
    assert found.data["windows"]["inside"] == found.data["windows"]["wrong"] == 60
    assert found.verdict == "sound"


def test_few_errors_near_the_answer_are_not_skipped_windows():
    """Of readers that err near it in nine of ten cases every eighth has twenty such in a row."""
    found = check_windows(2000, place_near_gold, many=25)
    assert found.data["windows"]["inside"] == found.data["windows"]["wrong"] == 25
    assert found.verdict == "sound"


def test_boundary_errors_are_not_skipped_windows():
    """All answers that are wrong overlap the gold one, before or behind it, or hold it."""
    text = " ".join(f"w{place}" for place in range(2000))
    starts = [0, *(place + 1 for place, letter in enumerate(text) if letter == " ")]
    questions, predictions = [], []
    for number in range(60):
        at = 30 * number + 1
        gold = Span(starts[at], starts[at + 2] - 1)
        before, behind = ((0, 3), (1, 1), (1, 2))[number % 3]
        said = Span(starts[at - before], starts[at + behind] - 1)
        answers = [Answer(kind="span", texts=(one.of(text),), spans=(one,)) for one in (gold, said)]
        name = f"q{number}"
        questions.append(Question(question_id=name, passage_id="p", text="?", kind="span",
                                  answers=(answers[0],)))  # fmt: skip
        predictions.append(Prediction(question_id=name, answer=answers[1]))
    assert check(
        make_subject(questions, predictions, [Passage(passage_id="p", text=text)])
    ).verdict in (
        "sound",
        "skipped",
    )


def choices(gold_text, n=120):
    rng = random.Random(2)
    questions = []
    for place in range(n):
        texts = ["qu" * rng.randrange(3, 6) for _ in range(4)]
        right = rng.randrange(4)
        texts[right] = gold_text(texts[right])
        questions.append(
            Question(
                question_id=f"q{place}", passage_id=f"p{place}", text="Which?", kind="choice",
                options=tuple(
                    Option(label=label, text=text)
                    for label, text in zip("ABCD", texts, strict=True)
                ),
                answers=(Answer(kind="choice", label="ABCD"[right]),),
            )
        )  # fmt: skip
    return make_subject(questions, [])


def test_longer_right_options_are_a_shortcut():
    """And so are words that only right options have."""
    longer = shortcuts.check(choices(lambda text: text + " and more than that"))
    assert longer.verdict == "doubtful"
    assert longer.data["readers"][0][2] == 1.0
    words = {row[0]: row[2] for row in longer.data["readers"]}
    assert words["the options' words"] > 0.9


def test_chance_counts_every_accepted_option():
    """Two of four are right: half of all guesses are, and no shortcut."""
    rng = random.Random(4)
    questions = [
        msgspec.structs.replace(
            one,
            answers=tuple(Answer(kind="choice", label=label) for label in rng.sample("ABCD", 2)),
        )
        for one in choices(lambda text: text).questions
    ]
    found = shortcuts.check(make_subject(questions, []))
    assert found.verdict == "sound"
    assert {row[3] for row in found.data["readers"]} == {0.5}


def test_variants_stay_in_the_fold_of_their_original():
    """Options of random letters beside a variant of each question whose passage was changed."""
    rng = random.Random(2)

    def word():
        return "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=7))

    questions = []
    for place in range(200):
        passage = Passage(passage_id=f"p{place}-{word()}", text=word())
        asked = Question(
            question_id=f"q{place}", passage_id=passage.passage_id, text="Which?", kind="choice",
            options=tuple(Option(label=one, text=f"{word()} {word()}") for one in "ABCD"),
            answers=(Answer(kind="choice", label=rng.choice("ABCD")),),
        )  # fmt: skip
        edit = Edit(strategy="s", rule="r", place="passage", span=Span(7, 7), words=" It rained.")
        questions.append(as_group_member(asked, asked.question_id, "original"))
        questions.append(
            apply(passage, as_group_member(asked, asked.question_id, "positive"), [edit])[1]
        )
    found = shortcuts.check(make_subject(questions, []))
    shares = {row[0]: row[2] for row in found.data["readers"]}
    assert shares["the options' words"] < 0.35  # 0.56 where the copies lie in other folds
    assert found.verdict == "sound"


def test_variants_count_as_one_question():
    """The longest option is right in 40 of 100 questions: as surely so if each is asked twice."""
    (once, *_) = shortcuts.check(choices(lambda text: text, 100)).data["readers"]
    asked = [as_group_member(one, one.question_id, role)
             for one in choices(lambda text: text, 100).questions
             for role in ("original", "positive")]  # fmt: skip
    (twice, *_) = shortcuts.check(make_subject(asked, [])).data["readers"]
    assert (twice[1], *twice[2:]) == (2 * once[1], *once[2:])


def test_options_without_a_shortcut_are_sound():
    """Places drawn at random, texts from one mould."""
    assert shortcuts.check(choices(lambda text: text)).verdict == "sound"


def passages(*texts):
    return {f"p{place}": Passage(passage_id=f"p{place}", text=text) for place, text in
            enumerate(texts)}  # fmt: skip


class Training:
    """A training set of these passages."""

    name = "train"

    def __init__(self, *texts):
        self._texts = texts

    def __iter__(self):
        for place, text in enumerate(self._texts):
            yield Passage(passage_id=f"t{place}", text=text), ()


def plainly_shared(own, theirs):
    """What the definition says, without any index."""
    for length, of in ((13, lambda text: text.split()), (30, lambda text: "".join(text.split()))):
        a, b = of(own), of(theirs)
        pieces = {tuple(b[at : at + length]) for at in range(len(b) - length + 1)}
        if any(tuple(a[at : at + length]) in pieces for at in range(len(a) - length + 1)):
            return True
    return False


def test_every_passage_with_a_shared_run_is_found_and_no_other():
    """Against the definition, on texts of two words or characters, which share much."""
    rng = random.Random(4)

    def text(letters, blank, most):
        return blank.join(rng.choice(letters) for _ in range(rng.randrange(8, most)))

    for trial in range(120):
        letters, blank, most = (("ab", " ", 60), ("一二", "", 70))[trial % 2]
        own = [text(letters, blank, most) for _ in range(8)]
        theirs = [text(letters, blank, most) for _ in range(8)]
        found = {one.test_id for one in shared_passages(passages(*own), Training(*theirs))}
        assert found == {
            f"p{place}"
            for place, one in enumerate(own)
            if any(plainly_shared(one, other) for other in theirs)
        }


def test_passages_that_share_the_same_run_are_all_found():
    """Not only the first of them."""
    run = "the ferry carried twelve tonnes of wool and nine sheep to the far shore"
    own = passages(f"Once {run}.", f"Again {run}.", "Nothing of it.")
    assert [one.test_id for one in shared_passages(own, Training(run))] == ["p0", "p1"]


def test_a_common_phrase_is_not_a_leak():
    """Thirty Latin characters may be chance: told, and no reason to throw the number away."""
    phrase = "in the second half of the twentieth century"
    own = [Question(question_id="q", passage_id="p0", text="?", kind="span",
                    answers=(Answer(kind="span", texts=("x",)),))]  # fmt: skip
    subject = make_subject(own, [], passages(f"Lund grew {phrase}.").values())
    found = check(subject, Training(f"Ships were built {phrase}, too."))
    assert found.verdict == "doubtful" and found.data["shared"] == ["p0"]
    assert "common phrase" in found.tables[0].note
    same = "灯塔看守人在每天傍晚都会沿着石阶走上塔顶点亮那盏旧油灯然后记下风向"
    subject = make_subject(own, [], passages(f"从前，{same}。").values())
    assert check(subject, Training(f"后来{same}。")).verdict == "broken"


def test_chance_is_computed_for_any_letters():
    """All different, by counting all draws; thousands of texts in place of letters take no time."""
    rng = random.Random(3)
    for _ in range(50):
        drawn = [Counter(rng.choices("ABCD", k=9)) for _ in range(3)]
        wanted = sum(
            x * y * z
            for (a, x), (b, y), (c, z) in product(*(one.items() for one in drawn))
            if len({a, b, c}) == 3
        )
        assert _count_all_different(*drawn) == wanted
    many = Counter(map(str, range(20_000)))
    assert _count_all_different(many, many, many) == 20_000 * 19_999 * 19_998


def test_windows_are_found_in_chinese_passages_too():
    """Every character is a word there: a passage of 1,200 is longer than a window."""
    rng = random.Random(2)
    text = "".join(chr(0x4E00 + place) for place in range(1200))
    questions, predictions = [], []
    for number in range(60):
        gold = rng.choice((rng.randrange(0, 150), rng.randrange(1050, 1198)))
        said = max(0, min(1198, gold + rng.choice((-1, 1)) * rng.randrange(3, 300)))
        spans = [Span(place, place + 2) for place in (gold, said)]
        answers = [Answer(kind="span", texts=(one.of(text),), spans=(one,)) for one in spans]
        name = f"q{number}"
        questions.append(Question(question_id=name, passage_id="p", text="?", kind="span",
                                  answers=(answers[0],)))  # fmt: skip
        predictions.append(Prediction(question_id=name, answer=answers[1]))
    passage = Passage(passage_id="p", text=text, language="zh")
    found = check(make_subject(questions, predictions, [passage]))
    assert found.data["windows"]["suspicious"]


def make_question(place, *golds):
    answers = tuple(
        Answer(kind="span", texts=(gold,)) if gold else Answer(kind="none") for gold in golds
    )
    return Question(question_id=f"q{place}", passage_id=f"p{place}", text=f"How many of {place}?",
                    kind="span", answers=answers)  # fmt: skip


def test_chance_is_the_most_widely_accepted_answer():
    """As any of their golds, not only as the first; else the accepted rest looks like a skill."""
    questions = [make_question(place, f"{place} boats", "2") for place in range(200)]
    questions += [make_question(200 + place, "nine") for place in range(50)]
    passages_of = [Passage(passage_id=f"p{place}", text="Boats.") for place in range(250)]
    found = shortcuts.check(make_subject(questions, [], passages_of))
    (row,) = found.data["readers"]
    assert row[3] == 200 / 250
    assert found.verdict == "sound"


def test_an_empty_answer_can_be_a_shortcut():
    """Where the question's first words tell that there is no answer."""
    questions = []
    for place in range(200):
        gold = "" if place % 2 else f"boat {place}"
        question = make_question(place, gold)
        text = f"{'Why did it' if place % 2 else 'Who was'} {place}?"
        questions.append(Question(question_id=question.question_id, passage_id=question.passage_id,
                                  text=text, kind="span", answers=question.answers))  # fmt: skip
    passages_of = [Passage(passage_id=f"p{place}", text="Boats.") for place in range(200)]
    (row,) = shortcuts.check(make_subject(questions, [], passages_of)).data["readers"]
    assert (row[2], row[3]) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("right", "n", "chance", "p"),
    [(6, 6, 0.25, 0.25**6), (5, 6, 0.25, 19 * 0.25**6), (0, 9, 0.3, 1.0), (2, 3, 0.5, 0.5)],
)
def test_the_chance_of_few_questions_is_exact(right, n, chance, p):
    """Six of six by guessing is one of 4,096; the normal curve said one of 12,000."""
    assert shortcuts._p_value(right, n, chance) == pytest.approx(p, rel=0.005)


def test_the_chance_of_many_questions_is_nearly_normal():
    for right in (2400, 2500, 2600, 10_000):
        z = (right - 0.5 - 2500) / (10_000 * 0.25 * 0.75) ** 0.5
        wanted = 0.5 * math.erfc(z / 2**0.5)
        assert shortcuts._p_value(right, 10_000, 0.25) == pytest.approx(wanted, rel=0.05, abs=1e-9)


def test_options_that_repeat_the_question_are_a_shortcut():
    """A reader of question and options that never sees the passage."""
    questions = [
        Question(
            question_id=f"q{n}", passage_id="p", text=f"who kept lamp number {n}?",
            kind="choice", answers=(Answer(kind="choice", label="ABCD"[n % 4]),),
            options=tuple(
                Option(label=label, text=f"lamp number {n}" if label == "ABCD"[n % 4] else word)
                for label, word in zip("ABCD", ("xq zv wf", "jk bv qz", "zz yx vv", "xv qj"),
                                       strict=True)
            ),
        )
        for n in range(40)
    ]  # fmt: skip
    rows = shortcuts.check(make_subject(questions, [])).data["readers"]
    (row,) = (row for row in rows if row[0] == "the option most similar to the question")
    assert row[2] == 1.0 and row[4] < 1e-10


def few_shot(tmp_path, leaks):
    """The recorded samples, each behind an example: another question, or where it leaks itself."""
    (path,) = FEW_SHOT.glob("samples_drop*")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for place, row in enumerate(rows):
        shown = row["doc"] if place in leaks else rows[place - 4]["doc"]
        example = f"{shown['passage']} {shown['question']} 41 goats"
        own = f"{row['doc']['passage']} {row['doc']['question']}"
        row["arguments"]["gen_args_0"]["arg_0"] = f"{example}\n\n{own}"
    copy = tmp_path / path.name
    copy.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (run,) = ingest([copy], tmp_path / "run").runs
    return load_run(run)


def test_prompts_that_show_their_own_question_are_reported(tmp_path):
    """Examples were drawn from the set that is tested, and its own question was not left out."""
    leaks = {0, 3, 5}
    one = few_shot(tmp_path, leaks)
    found = check(one)
    assert found.verdict == "broken"
    assert one.leaked == {one.questions[place].question_id for place in leaks}
    counts = found.data["prompts"]
    n = len(one.questions)
    assert (counts["leaked"], counts["shown"], counts["questions"]) == (3, n, n)
    judge = default_scorer(one)[1]
    values = [judge.score(q, one.predictions[q.question_id]).values["f1"] for q in one.questions]
    kept = [value for place, value in enumerate(values) if place not in leaks]
    assert counts["score"] == pytest.approx(math.fsum(values) / n)
    assert counts["of_others"] == pytest.approx(math.fsum(kept) / len(kept))
    assert "3 of 14 prompts with examples show their own question" in found.headline
    for sentence in (found.headline, found.tables[0].title, found.tables[0].note):
        assert SENTENCES.say(sentence, "zh") != sentence


def test_examples_of_other_questions_are_not_leaks(tmp_path):
    found = check(few_shot(tmp_path, ()))
    assert found.verdict == "sound"
    assert "none of 14 prompts with examples shows its own question as an example" in found.headline
