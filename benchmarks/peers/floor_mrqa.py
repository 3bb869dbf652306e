"""The floor: inflate an MRQA file and parse the fields that scoring needs, and nothing else."""

import sys
from pathlib import Path

import msgspec
from isal import igzip


class Question(msgspec.Struct):
    qid: str
    answers: list[str]


class Row(msgspec.Struct):
    qas: list[Question] = []


def main(data: str, predictions: str) -> None:
    decoder = msgspec.json.Decoder(Row)
    with igzip.open(data, "rb") as stream:
        count = sum(len(decoder.decode(line).qas) for line in stream)
    handed_in = msgspec.json.decode(Path(predictions).read_bytes(), type=dict[str, str])
    print(count, len(handed_in))


main(*sys.argv[1:])
