"""The table of all sets that ``closeread get`` knows.

It holds a checksum only if the publishers give one, if several independent projects pin the same
one, or if the file is read at a named commit. Nothing is guessed: without a checksum, the hash of
what arrives is printed instead of compared.
"""

from closeread.downloads.mrqa import MRQA
from closeread.downloads.published import (
    Member,
    PublishedFile,
    PublishedSet,
    archive_address,
    github_addresses,
)

_VGAOKAO = ("luciusssss/VGaokao", "a3fb249e73aa4ee18b2cc5ec8500a08a31205041")
_GCRC_ADVROBUST = ("SXU-YaxinGuo/GCRC_advRobust", "095f511733c3f97755e951ee5101072357cfedb2")
_CMRC = ("ymcui/cmrc2018", "c0eb1b6ba219847457e6af3180da722bbeb656af")
_C3 = ("nlpdata/c3", "1f41682ebb684d63afe7c583c8f38e137fc8a826")
_OCNLI = ("CLUEbenchmark/OCNLI", "b53efdee17257a5c33993cf6fcf8ffff0497ea0e")
_EXPMRC = ("ymcui/expmrc", "9827fed6466f295252f9054c56ec7b233d46e636")
_SIMPLE_DROP = ("ShengranHu/ADAS", "2702bee8fefda42255efc5be9f60e3bd3db96ae4")

_SNLI_ZIP = "https://nlp.stanford.edu/projects/snli/snli_1.0.zip"
_MULTINLI_ZIP = "https://cims.nyu.edu/~sbowman/multinli/multinli_1.0.zip"
_DROP_ZIP = "https://s3-us-west-2.amazonaws.com/allennlp/datasets/drop/drop_dataset.zip"


def _file(
    repository: tuple[str, str], path: str, name: str, sha256: str, examples: int | None
) -> PublishedFile:
    return PublishedFile(
        name=name, addresses=github_addresses(*repository, path), sha256=sha256, examples=examples
    )


SETS: dict[str, PublishedSet] = {
    **MRQA,
    "vgaokao": PublishedSet(
        description="VGaokao: Chinese Gaokao verification questions, train and test",
        license="Apache-2.0",
        citation="Zhang, Lai, Feng, Zhao. Extract, Integrate, Compete: Towards Verification Style "
        "Reading Comprehension. Findings of EMNLP 2021",
        files=(
            _file(_VGAOKAO, "data/raw/train.json", "vgaokao/train.json", "", 2_812),
            _file(
                _VGAOKAO,
                "data/raw/test.json",
                "vgaokao/test.json",
                "1c0321429184ee5953ff2ebf9858b91e1d27ec7cb9efa8d2528d331f3ff3f0e3",
                700,
            ),
        ),
    ),
    "gcrc-advrobust": PublishedSet(
        description="GCRC_advRobust: triples of Gaokao questions, dev and test without answers",
        license="non-commercial research only (no licence in the repository)",
        citation="Tan et al. GCRC: A New Challenging MRC Dataset from Gaokao Chinese for "
        "Explainable Evaluation. Findings of ACL 2021; CCL23-Eval GCRC_advRobust",
        files=(
            _file(
                _GCRC_ADVROBUST,
                "data/dataset/dev_GCRCadvrobust.json",
                "gcrc-advrobust/dev.json",
                "e5a3e88100b6901a356bc503857301fe6e51ed16b2b66d7b24a86e70145684f8",
                3 * 336,
            ),
            _file(
                _GCRC_ADVROBUST,
                "data/dataset/test_GCRCadvrobust_public.json",
                "gcrc-advrobust/test.json",
                "2c883381b637ceac4f38cd5c7995ac89098164a0a2223d144ce46ce3b14711c1",
                3 * 288,
            ),
        ),
    ),
    "gcrc-train": PublishedSet(
        description="GCRC: the 6,994 training questions of the GCRC_advRobust task (by hand)",
        license="non-commercial research only, after signing the evaluation's data agreement",
        citation="Tan et al. GCRC: A New Challenging MRC Dataset from Gaokao Chinese for "
        "Explainable Evaluation. Findings of ACL 2021; say in public that the data are those of "
        "Shanxi University, and write to tanhongye@sxu.edu.cn",
        files=(PublishedFile(name="gcrc-train/train.json", examples=6_994),),
        by_hand="sign in at https://cuge.baai.ac.cn/#/ccl/2023/gcrc and accept the data agreement "
        "of https://github.com/SXU-YaxinGuo/GCRC_advRobust (free for non-profit research, no "
        "commercial use)",
    ),
    "snli": PublishedSet(
        description="SNLI 1.0: English entailment pairs, train, dev and test",
        license="CC BY-SA 4.0",
        citation="Bowman, Angeli, Potts, Manning. A large annotated corpus for learning natural "
        "language inference. EMNLP 2015",
        files=(
            PublishedFile(
                name="snli/snli_1.0.zip",
                addresses=(
                    _SNLI_ZIP,
                    _SNLI_ZIP.replace("https:", "http:"),
                    archive_address(_SNLI_ZIP),
                ),
                md5="981c3df556bbaea3f17f752456d0088c",
                sha256="afb3d70a5af5d8de0d9d81e2637e0fb8c22d1235c2749d83125ca43dab0dbd3e",
                members=(
                    Member(
                        inside="snli_1.0/snli_1.0_train.jsonl",
                        name="snli/train.jsonl",
                        examples=549_367,
                    ),
                    Member(
                        inside="snli_1.0/snli_1.0_dev.jsonl", name="snli/dev.jsonl", examples=9_842
                    ),
                    Member(
                        inside="snli_1.0/snli_1.0_test.jsonl",
                        name="snli/test.jsonl",
                        examples=9_824,
                    ),
                ),
            ),
        ),
    ),
    "multinli": PublishedSet(
        description="MultiNLI 1.0: English entailment pairs of many genres, train and two devs",
        license="OANC's terms, parts CC BY 3.0 and CC BY-SA 3.0 (see the paper)",
        citation="Williams, Nangia, Bowman. A Broad-Coverage Challenge Corpus for Sentence "
        "Understanding through Inference. NAACL 2018",
        files=(
            PublishedFile(
                name="multinli/multinli_1.0.zip",
                addresses=(
                    _MULTINLI_ZIP,
                    "https://www.nyu.edu/projects/bowman/multinli/multinli_1.0.zip",
                    archive_address(_MULTINLI_ZIP),
                ),
                sha256="049f507b9e36b1fcb756cfd5aeb3b7a0cfcb84bf023793652987f7e7e0957822",
                members=(
                    Member(
                        inside="multinli_1.0/multinli_1.0_train.jsonl",
                        name="multinli/train.jsonl",
                        examples=392_702,
                    ),
                    Member(
                        inside="multinli_1.0/multinli_1.0_dev_matched.jsonl",
                        name="multinli/dev_matched.jsonl",
                        examples=9_815,
                    ),
                    Member(
                        inside="multinli_1.0/multinli_1.0_dev_mismatched.jsonl",
                        name="multinli/dev_mismatched.jsonl",
                        examples=9_832,
                    ),
                ),
            ),
        ),
    ),
    "drop": PublishedSet(
        description="DROP: discrete reasoning over paragraphs, train and dev",
        license="CC BY-SA 4.0",
        citation="Dua et al. DROP: A Reading Comprehension Benchmark Requiring Discrete Reasoning "
        "Over Paragraphs. NAACL 2019",
        files=(
            PublishedFile(
                name="drop/drop_dataset.zip",
                addresses=(
                    _DROP_ZIP,
                    "https://ai2-public-datasets.s3.amazonaws.com/drop/drop_dataset.zip",
                    archive_address(_DROP_ZIP),
                ),
                sha256="39d2278a29fd729de301b111a45f434c24834f40df8f4ff116d864589e3249d6",
                members=(
                    Member(
                        inside="drop_dataset/drop_dataset_train.json",
                        name="drop/train.json",
                        examples=77_409,
                    ),
                    Member(
                        inside="drop_dataset/drop_dataset_dev.json",
                        name="drop/dev.json",
                        examples=9_536,
                    ),
                ),
            ),
        ),
    ),
    "drop-simple": PublishedSet(
        description="DROP development set as simple-evals ships it",
        license="CC BY-SA 4.0",
        citation="Dua et al. DROP: A Reading Comprehension Benchmark Requiring Discrete Reasoning "
        "Over Paragraphs. NAACL 2019",
        files=(
            PublishedFile(
                name="drop-simple/drop_v0_dev.jsonl.gz",
                addresses=(
                    "https://openaipublic.blob.core.windows.net/simple-evals/drop_v0_dev.jsonl.gz",
                    *github_addresses(*_SIMPLE_DROP, "dataset/drop_v0_dev.jsonl.gz"),
                ),
                sha256="7a58d35552dc476699d87ee8af0254f63e9f00f5a7f6b8b033e11c933157e186",
                examples=9_536,
            ),
        ),
    ),
    "cmrc2018": PublishedSet(
        description="CMRC 2018: Chinese span extraction, train, dev and trial",
        license="CC BY-SA 4.0",
        citation="Cui et al. A Span-Extraction Dataset for Chinese Machine Reading Comprehension. "
        "EMNLP 2019",
        files=(
            _file(_CMRC, "squad-style-data/cmrc2018_train.json", "cmrc2018/train.json", "", None),
            _file(
                _CMRC,
                "squad-style-data/cmrc2018_dev.json",
                "cmrc2018/dev.json",
                "e9ff74231f05c230c6fa88b84441ee334d97234cbb610991cd94b82db00c7f1f",
                3_219,
            ),
            _file(
                _CMRC,
                "squad-style-data/cmrc2018_trial.json",
                "cmrc2018/trial.json",
                "f3fae95b57da8e03afb2b57467dd221417060ef4d82db13bf22fc88589f3a6f3",
                1_002,
            ),
        ),
    ),
    "c3": PublishedSet(
        description="C3: Chinese multiple choice, dialogues (d) and mixed genres (m)",
        license="non-commercial research only",
        citation="Sun, Yu, Yu, Cardie. Investigating Prior Knowledge for Challenging Chinese "
        "Machine Reading Comprehension. TACL 2020",
        files=tuple(
            _file(_C3, f"data/{name}.json", f"c3/{name}.json", sha256, examples)
            for name, sha256, examples in (
                (
                    "c3-d-train",
                    "baf81f327dee84c6f451c9a4dd662e6193c67473b8791ffb72cce75cdb528f20",
                    5_856,
                ),
                (
                    "c3-d-dev",
                    "8c7054930a40aeb288ad7c51c42fa93d54aef678ccab29c75d46a7432f4f6278",
                    1_825,
                ),
                (
                    "c3-d-test",
                    "e9920491b31f9d00ecf31e51727b495dd6b0d05f4a96f273a343e81b6775a8f0",
                    1_890,
                ),
                (
                    "c3-m-train",
                    "4c84a534f1eec2c72e5f60f0c044cc39e2e42a88df01134e677e03217472d6af",
                    6_013,
                ),
                (
                    "c3-m-dev",
                    "357d0d8d2a29bc845cbe50e048c263629f5e527b70f24c3e0838c387c8d3cb54",
                    1_991,
                ),
                (
                    "c3-m-test",
                    "7d8074be56cf574536a3284bc2d6b04d137694d5e5f5b1368143c0cf3e336822",
                    2_002,
                ),
            )
        ),
    ),
    "ocnli": PublishedSet(
        description="OCNLI: original Chinese entailment pairs, train (50k and 10k) and dev",
        license="CC BY-NC 2.0 (non-commercial)",
        citation="Hu, Richardson, Xu, Li, Kuebler, Moss. OCNLI: Original Chinese Natural Language "
        "Inference. Findings of EMNLP 2020",
        files=(
            _file(_OCNLI, "data/ocnli/train.50k.json", "ocnli/train.50k.json", "", None),
            _file(
                _OCNLI,
                "data/ocnli/train.10k.json",
                "ocnli/train.10k.json",
                "b8a0b7b72f62eb8d47a4d21ba34c4948bf2bdf5fde649a964ef3779504c7ab81",
                None,
            ),
            _file(
                _OCNLI,
                "data/ocnli/dev.json",
                "ocnli/dev.json",
                "001ded235d73a18dac68a45a38cd5f9b3f9311fa4246df623e199422c073ddc5",
                2_950,
            ),
        ),
    ),
    "expmrc": PublishedSet(
        description="ExpMRC: answers with evidence, four development sets",
        license="CC BY-SA 4.0 (the texts of RACE and C3 are non-commercial)",
        citation="Cui, Liu, Che, Chen, Wang. ExpMRC: Explainability Evaluation for Machine Reading "
        "Comprehension. Heliyon 2022",
        files=tuple(
            _file(
                _EXPMRC,
                f"data/{name}/expmrc-{name}-dev.json",
                f"expmrc/expmrc-{name}-dev.json",
                sha256,
                examples,
            )
            for name, sha256, examples in (
                ("squad", "2a97b681de208927c886b0a60fd83599a304157b011fcb7b43031ca48104e6d7", 501),
                (
                    "cmrc2018",
                    "189f494d86ca585990873fbb1fdc4626ec7ef3a86cfab38bc38fdedacdad896b",
                    515,
                ),
                ("race", "43819fee2096d40f8a209bd5bce82a47b663cb79804119c036de4655bd01f021", 561),
                ("c3", "b43356147cdd8228efdcd70f5953cf76b157d2c66724f2be308c7e5b965dfa8d", 505),
            )
        ),
    ),
}
