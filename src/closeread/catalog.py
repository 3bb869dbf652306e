"""The table of all named parts, from formats to perturbations.

A name may also be ``package.module:factory``, so that users extend closeread without changing it.
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["format", "metric", "reader", "retriever", "encoder", "trainer", "perturbation"]
About = Literal["any", "options", "texts", "evidence", "attacked"]


@dataclass(frozen=True)
class Entry:
    """The factory of a named part, its description, and the extra it needs.

    Attributes:
        precheck: The function that checks a trainer's recipe; it works without the extra.
        about: The questions that a metric applies to, in a data set with several kinds.
    """

    target: str
    description: str
    extra: str = ""
    precheck: str = ""
    about: About = "texts"


# Order matters for formats: they are tried from the most to the least specific.
CATALOG: dict[Kind, dict[str, Entry]] = {
    "format": {
        "mrqa": Entry(
            "closeread.formats.mrqa:FORMAT", "MRQA 2019 JSON lines, with or without header"
        ),
        "expmrc": Entry("closeread.formats.expmrc:FORMAT", "ExpMRC: answers with evidence"),
        "quac": Entry("closeread.formats.quac:FORMAT", "QuAC: conversations about a section"),
        "squad": Entry("closeread.formats.squad:FORMAT", "SQuAD 1.1 and 2.0, and sets in its form"),
        "cmrc": Entry("closeread.formats.cmrc:FORMAT", "CMRC 2018 and DRCD"),
        "coqa": Entry("closeread.formats.coqa:FORMAT", "CoQA: conversations about a story"),
        "drop": Entry("closeread.formats.drop:FORMAT", "DROP and Quoref"),
        "nq": Entry("closeread.formats.nq:FORMAT", "Natural Questions, simplified and original"),
        "newsqa": Entry("closeread.formats.newsqa:FORMAT", "NewsQA as written by its tools"),
        "webqa": Entry("closeread.formats.webqa:FORMAT", "WebQA: Chinese web texts"),
        "qasper": Entry("closeread.formats.qasper:FORMAT", "QASPER: questions about papers"),
        "bioasq": Entry("closeread.formats.bioasq:FORMAT", "BioASQ: questions with snippets"),
        "drop-simple": Entry(
            "closeread.formats.drop_simple:FORMAT", "DROP as simple-evals ships it"
        ),
        "gcrc-advrobust": Entry(
            "closeread.formats.gcrc_advrobust:FORMAT", "GCRC_advRobust triples"
        ),
        "gcrc": Entry("closeread.formats.gcrc:FORMAT", "GCRC 2020 and the six-field training form"),
        "vgaokao": Entry(
            "closeread.formats.vgaokao:FORMAT", "VGaokao, with truth values and evidence"
        ),
        "c3": Entry("closeread.formats.c3:FORMAT", "C3 and DREAM"),
        "race": Entry("closeread.formats.race:FORMAT", "RACE"),
        "agieval": Entry("closeread.formats.agieval:FORMAT", "AGIEval multiple choice"),
        "gaokao-bench": Entry("closeread.formats.gaokao_bench:FORMAT", "GAOKAO-Bench modern texts"),
        "multirc": Entry(
            "closeread.formats.multirc:FORMAT", "MultiRC: several options may be right"
        ),
        "nli": Entry("closeread.formats.nli:FORMAT", "OCNLI, SNLI, MultiNLI, ANLI"),
        "hotpotqa": Entry("closeread.formats.hotpotqa:FORMAT", "HotpotQA and 2WikiMultihopQA"),
        "musique": Entry("closeread.formats.musique:FORMAT", "MuSiQue"),
        "rows": Entry(
            "closeread.formats.rows:FORMAT",
            "rows of other data sets, as in `datasets`: recognized by their columns, or named",
        ),
        "jsonl": Entry(
            "closeread.formats.jsonl:FORMAT", "closeread's own JSON lines: bring your own"
        ),
        "csv": Entry(
            "closeread.formats.csv:FORMAT", "a table with one question per row: bring your own"
        ),
    },
    "metric": {
        "mrqa": Entry("closeread.metrics.mrqa:metric", "MRQA 2019 exact match and F1"),
        "squad": Entry("closeread.metrics.squad:metric", "SQuAD 1.1 exact match and F1"),
        "addsent": Entry(
            "closeread.metrics.addsent:metric", "AddSent: SQuAD 1.1, each question's worst variant"
        ),
        "squad2": Entry("closeread.metrics.squad2:metric", "SQuAD 2.0, with and without answer"),
        "squad2~strict": Entry(
            "closeread.metrics.squad2:strict",
            "the same; a question without a prediction counts as wrong",
        ),
        "mlqa": Entry("closeread.metrics.mlqa:metric", "MLQA exact match and F1, seven languages"),
        "cmrc": Entry("closeread.metrics.cmrc:metric", "CMRC 2018 exact match and F1", "cmrc"),
        "hotpotqa": Entry(
            "closeread.metrics.hotpotqa:metric",
            "HotpotQA: answer, supporting facts, and both together",
        ),
        "coqa": Entry("closeread.metrics.coqa:metric", "CoQA exact match and F1"),
        "qasper": Entry("closeread.metrics.qasper:metric", "QASPER answer F1 and evidence F1"),
        "multirc": Entry(
            "closeread.metrics.multirc:metric",
            "MultiRC: each option right or wrong, EM, F1a, F1m",
            about="options",
        ),
        "quac": Entry("closeread.metrics.quac:metric", "QuAC F1, HEQ-Q and HEQ-D"),
        "drop": Entry("closeread.metrics.drop:metric", "DROP and Quoref exact match and F1"),
        "drop~whitespace": Entry(
            "closeread.metrics.drop_mended:whitespace", "DROP, any white space separates tokens"
        ),
        "drop~number": Entry(
            "closeread.metrics.drop_mended:number", "DROP, numbers in all common notations"
        ),
        "drop~firstline": Entry(
            "closeread.metrics.drop_mended:firstline", "DROP, only the first line is the answer"
        ),
        "drop~fixed": Entry("closeread.metrics.drop_mended:fixed", "DROP with all three changes"),
        "cmrc~mixed": Entry(
            "closeread.metrics.cmrc_mixed:metric",
            "CMRC, full-width forms normalized, numbers and words kept whole",
        ),
        "lm-eval": Entry("closeread.metrics.others.lm_eval:metric", "lm-evaluation-harness: drop"),
        "lighteval": Entry(
            "closeread.metrics.others.lighteval:metric", "lighteval: drop, exact_match"
        ),
        "inspect": Entry("closeread.metrics.others.inspect:metric", "inspect-ai: f1"),
        "simple-evals": Entry("closeread.metrics.others.simple_evals:metric", "simple-evals: drop"),
        "opencompass": Entry(
            "closeread.metrics.others.opencompass:metric", "OpenCompass: em, drop (fuzzy)"
        ),
        "helm": Entry("closeread.metrics.others.helm:metric", "HELM: exact matches, f1_score"),
        "evaluate": Entry(
            "closeread.metrics.others.hf_evaluate:metric", "Hugging Face evaluate: squad"
        ),
        "gcrc": Entry(
            "closeread.metrics.gcrc:metric",
            "GCRC_advRobust Acc_0, Acc_1, Acc_2, Score",
            about="options",
        ),
        "gcrc~strict": Entry(
            "closeread.metrics.gcrc:strict", "the same; every triple counts once", about="options"
        ),
        "attack": Entry(
            "closeread.metrics.attack:metric",
            "accuracy before and under attack, and the share that survives",
            about="attacked",
        ),
        "choice": Entry(
            "closeread.metrics.choice:metric",
            "accuracy on multiple-choice questions",
            about="options",
        ),
        "option": Entry(
            "closeread.metrics.option:metric", "accuracy on single options", about="options"
        ),
        "evidence": Entry(
            "closeread.metrics.evidence:metric",
            "VGaokao's evidence precision, recall, F1",
            about="evidence",
        ),
        "expmrc": Entry(
            "closeread.metrics.expmrc:metric",
            "ExpMRC answer, evidence and overall F1",
            "cmrc",
            about="any",
        ),
        "selective": Entry(
            "closeread.metrics.selective:metric", "risk-coverage of another metric", about="any"
        ),
    },
    "reader": {
        "first-sentence": Entry(
            "closeread.readers.baselines:first_sentence", "baseline: the passage's first sentence"
        ),
        "random-option": Entry(
            "closeread.readers.baselines:random_option", "baseline: a random option"
        ),
        "longest-option": Entry(
            "closeread.readers.baselines:longest_option", "baseline: the longest option"
        ),
        "majority": Entry(
            "closeread.readers.baselines:majority", "baseline: always the same label"
        ),
        "evidence": Entry(
            "closeread.readers.evidence:evidence", "answers with a retriever's evidence"
        ),
        "lexical": Entry(
            "closeread.readers.lexical:lexical",
            "matches options and questions with passage words; no weights",
        ),
        "cues": Entry(
            "closeread.readers.cues:cues",
            "ranks options by how they distort their evidence; small learned weights",
        ),
        "verifier": Entry(
            "closeread.readers.verifier:verifier",
            "a cross-encoder over evidence and option; options compete",
            "neural-readers",
        ),
        "extract-integrate-compete": Entry(
            "closeread.readers.verifier:extract_integrate_compete",
            "the system of the VGaokao paper: soft masking, integrator, competition",
            "neural-readers",
        ),
        "chat": Entry(
            "closeread.readers.generative.chat:chat",
            "a chat model at an OpenAI-compatible endpoint",
        ),
        "completion": Entry(
            "closeread.readers.generative.chat:completion",
            "a language model at a completions endpoint, by prompt",
        ),
        "http": Entry(
            "closeread.readers.http.served:http",
            "a reader served elsewhere: `http:host:port`",
        ),
        "span": Entry(
            "closeread.readers.span:span",
            "extractive: an encoder with a span head over windows",
            "neural-readers",
        ),
        "choice": Entry(
            "closeread.readers.choice:choice",
            "an encoder with a multiple-choice head (such as MacBERT)",
            "neural-readers",
        ),
        "chunk": Entry(
            "closeread.readers.chunk:chunk",
            "judges options on fixed chunks of the passage; the VGaokao paper's baseline",
            "neural-readers",
        ),
        "local": Entry(
            "closeread.readers.generative.local:local",
            "a local causal language model, by transformers",
            "local",
        ),
    },
    "retriever": {
        "cover": Entry(
            "closeread.evidence.cover:cover",
            "sentences that together cover a claim; no weights",
        ),
        "bm25": Entry("closeread.evidence.bm25:bm25", "BM25 over sentences, top 1 or more", "zh"),
        "dense": Entry(
            "closeread.evidence.dense:dense",
            "nearest sentence embeddings (Sentence-BERT), top 1 or more",
        ),
        "beamdr": Entry(
            "closeread.evidence.beamdr:beamdr",
            "evidence chains: found evidence is added to the query",
        ),
        "hard-masking": Entry(
            "closeread.evidence.hard_masking:hard_masking",
            "evidence chains over word vectors: matched words are masked",
            "vectors",
        ),
        "soft-masking": Entry(
            "closeread.evidence.soft_masking:soft_masking",
            "evidence chains over word vectors: matched words are down-weighted",
            "vectors",
        ),
    },
    "encoder": {
        "sentence-transformers": Entry(
            "closeread.readers.encoders:bi_encoder",
            "sentence embeddings (Sentence-BERT and similar)",
            "dense",
        ),
        "cross-encoder": Entry(
            "closeread.readers.encoders:cross_encoder", "reads query and evidence together", "dense"
        ),
        "word-vectors": Entry(
            "closeread.evidence.encoding:word_vectors",
            "the mean of a text's word vectors",
            "vectors",
        ),
    },
    # By the name of the reader that is trained.
    "trainer": {
        "cues": Entry(
            "closeread.training.cues.train:train", "cue weights by pairwise ranking; no torch"
        ),
        "span": Entry(
            "closeread.training.neural.tasks.span:train",
            "an encoder with a span head (BERT and similar)",
            "train",
            "closeread.training.recipes.span:precheck",
        ),
        "cloze": Entry(
            "closeread.training.neural.tasks.cloze:train",
            "a span reader, from cloze questions generated from plain passages; English",
            "train",
            "closeread.training.recipes.cloze:precheck",
        ),
        "verifier": Entry(
            "closeread.training.neural.tasks.verifier:train",
            "a cross-encoder; the options of a question compete",
            "train",
            "closeread.training.recipes.verifier:precheck",
        ),
        "extract-integrate-compete": Entry(
            "closeread.training.neural.tasks.verifier:train",
            "the same, over the evidence of the VGaokao paper's method",
            "train",
            "closeread.training.recipes.verifier:precheck",
        ),
        "entailment": Entry(
            "closeread.training.neural.tasks.entailment:train",
            "natural language inference, as a starting point for `verifier`",
            "train",
            "closeread.training.recipes.entailment:precheck",
        ),
        "choice": Entry(
            "closeread.training.neural.tasks.choice:train",
            "an encoder with a multiple-choice head",
            "train",
            "closeread.training.recipes.choice:precheck",
        ),
        "chunk": Entry(
            "closeread.training.neural.tasks.chunk:train",
            "an encoder that judges whether a chunk supports an option",
            "train",
            "closeread.training.recipes.chunk:precheck",
        ),
        "encoder": Entry(
            "closeread.training.neural.pretraining.train:train",
            "masked-language pretraining of an encoder on passages",
            "train",
            "closeread.training.recipes.encoder:precheck",
        ),
        "vectors": Entry(
            "closeread.training.vectors_trainer:train",
            "word vectors for the masking retrievers, from plain passages",
            "vectors",
        ),
    },
    # The strategies of `closeread attack`; the first four are those of GCRC_advRobust.
    "perturbation": {
        "keyword": Entry(
            "closeread.attacks.keyword:keyword",
            "statements: a key word is paraphrased or reversed (some: all)",
        ),
        "logic": Entry(
            "closeread.attacks.logic:logic",
            "statements: premise and conclusion are paraphrased, swapped or negated",
        ),
        "spacetime": Entry(
            "closeread.attacks.spacetime:spacetime",
            "statements: a time or place is rewritten or changed",
        ),
        "causality": Entry(
            "closeread.attacks.causality:causality",
            "statements: a cause is rephrased, swapped or denied",
        ),
        "distractor": Entry(
            "closeread.attacks.distractor:distractor",
            "passages: a distractor sentence that resembles the question",
        ),
        "typo": Entry("closeread.attacks.typo:typo", "questions: typing errors"),
    },
}

# A kind in users' words, where these are others than code's (docs/glossary.md).
_CALLED = {"perturbation": "strategy"}
ADDRESS = ("http:", "https:")  # how the name of a reader begins that is the address of a server


def names(kind: Kind) -> list[str]:
    """Return the names of one kind, in the table's order."""
    return list(CATALOG[kind])


def called(kind: str) -> str:
    """Return what messages call a kind."""
    return _CALLED.get(kind, kind)
