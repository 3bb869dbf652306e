"""The floor: inflate an MRQA file and parse the fields that scoring needs, and nothing else."""

import sys

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
    with open(predictions, "rb") as stream:
        handed_in = msgspec.json.decode(stream.read(), type=dict[str, str])
    print(count, len(handed_in))


main(*sys.argv[1:])
