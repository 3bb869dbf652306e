"""The 18 files of the MRQA 2019 shared task, with the sums and counts that it published."""

from closeread.downloads.published import PublishedFile, PublishedSet, archive_address

_CITATION = (
    "Fisch, Talmor, Jia, Seo, Choi, Chen. MRQA 2019 Shared Task: Evaluating Generalization in "
    "Reading Comprehension. MRQA at EMNLP 2019"
)
_LICENSE = "each source keeps its own terms, some of them non-commercial"

# Name -> (terms, paper) of the source.
_SOURCES = {
    "SQuAD": ("CC BY-SA 4.0", "Rajpurkar et al. SQuAD. EMNLP 2016"),
    "NewsQA": (
        "research use only; the CNN stories keep their own terms",
        "Trischler et al. NewsQA. RepL4NLP 2017",
    ),
    "TriviaQA": (
        "none stated for the documents; questions as TriviaQA gives them",
        "Joshi et al. TriviaQA. ACL 2017",
    ),
    "SearchQA": ("none stated for the search results", "Dunn et al. SearchQA. arXiv 2017"),
    "HotpotQA": ("CC BY-SA 4.0", "Yang et al. HotpotQA. EMNLP 2018"),
    "NaturalQuestions": ("CC BY-SA 3.0", "Kwiatkowski et al. Natural Questions. TACL 2019"),
    "BioASQ": (
        "BioASQ's own terms; abstracts keep those of their publishers",
        "Tsatsaronis et al. BioASQ. BMC Bioinformatics 2015",
    ),
    "DROP": ("CC BY-SA 4.0", "Dua et al. DROP. NAACL 2019"),
    "DuoRC": ("MIT; the plots keep their own terms", "Saha et al. DuoRC. ACL 2018"),
    "RACE": ("non-commercial research only", "Lai et al. RACE. EMNLP 2017"),
    "RelationExtraction": (
        "none stated",
        "Levy et al. Zero-Shot Relation Extraction via Reading Comprehension. CoNLL 2017",
    ),
    "TextbookQA": (
        "non-commercial (CC BY-NC 3.0)",
        "Kembhavi et al. Are You Smarter Than a Sixth Grader? CVPR 2017",
    ),
}
# The shared task's own names for the files on its server, where they are not the data set's.
_REMOTE = {
    "TriviaQA": "TriviaQA-web",
    "NaturalQuestions": "NaturalQuestionsShort",
    "DuoRC": "DuoRC.ParaphraseRC",
}
_BIOASQ = ("http://participants-area.bioasq.org/MRQA2019/",)


def terms(dataset: str) -> str:
    """Return the terms of a source by the name in its files' headers; empty for any other name."""
    names = {header: name for name in _SOURCES for header in (name, _REMOTE.get(name, name))}
    return _SOURCES[names[dataset]][0] if dataset in names else ""


def _file(group: str, split: str, name: str, md5: str, examples: int) -> PublishedFile:
    path = f"release/v2/{split}/{_REMOTE.get(name, name)}.jsonl.gz"
    official = f"https://s3.us-east-2.amazonaws.com/mrqa/{path}"
    bucket_host = f"https://mrqa.s3.us-east-2.amazonaws.com/{path}"
    addresses = _BIOASQ if name == "BioASQ" else (official, bucket_host)
    terms, paper = _SOURCES[name]
    return PublishedFile(
        name=f"mrqa/{group}/{name}.jsonl.gz",
        addresses=(*addresses, archive_address(addresses[0])),
        md5=md5,
        examples=examples,
        license=terms,
        citation=f"{paper}; {_CITATION}",
    )


def _set(group: str, split: str, subject: str, *rows: tuple[str, str, int]) -> PublishedSet:
    return PublishedSet(
        description=f"MRQA 2019 shared task, {subject}: " + ", ".join(row[0] for row in rows),
        license=_LICENSE,
        citation=_CITATION,
        files=tuple(_file(group, split, *row) for row in rows),
    )


MRQA = {
    "mrqa/train": _set(
        "train",
        "train",
        "training",
        ("SQuAD", "efd6a551d2697c20a694e933210489f8", 86_588),
        ("NewsQA", "182f4e977b849cb1dbfb796030b91444", 74_160),
        ("TriviaQA", "e18f586152612a9358c22f5536bfd32a", 61_688),
        ("SearchQA", "612245315e6e7c4d8446e5fcc3dc1086", 117_384),
        ("HotpotQA", "d212c7b3fc949bd0dc47d124e8c34907", 72_928),
        ("NaturalQuestions", "e27d27bf7c49eb5ead43cef3f41de6be", 104_071),
    ),
    "mrqa/in-domain-dev": _set(
        "in-domain-dev",
        "dev",
        "in-domain development",
        ("SQuAD", "05f3f16c5c31ba8e46ff5fa80647ac46", 10_507),
        ("NewsQA", "5c188c92a84ddffe2ab590ac7598bde2", 4_212),
        ("TriviaQA", "5c9fdc633dfe196f1b428c81205fd82f", 7_785),
        ("SearchQA", "9217ad3f6925c384702f2a4e6d520c38", 16_980),
        ("HotpotQA", "125a96846c830381a8acff110ff6bd84", 5_904),
        ("NaturalQuestions", "c0347eebbca02d10d1b07b9a64efe61d", 12_836),
    ),
    "mrqa/out-of-domain-dev": _set(
        "out-of-domain-dev",
        "dev",
        "out-of-domain development",
        ("BioASQ", "70752a39beb826a022ab21353cb66e54", 1_504),
        ("DROP", "070eb2ac92d2b2fc1b99abeda97ac37a", 1_503),
        ("DuoRC", "b325c0ad2fa10e699136561ee70c5ddd", 1_501),
        ("RACE", "ba8063647955bbb3ba63e9b17d82e815", 674),
        ("RelationExtraction", "266be75954fcb31b9dbfa9be7a61f088", 2_948),
        ("TextbookQA", "8b52d21381d841f8985839ec41a6c7f7", 1_503),
    ),
}
