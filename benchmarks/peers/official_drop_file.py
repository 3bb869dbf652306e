"""``python official_drop_file.py ROWS``: the official way over a file of (prediction, golds)."""

import json
import sys

from official_drop import score_pair


def main(path):
    em = f1 = count = 0
    with open(path, encoding="utf-8") as stream:  # noqa: PTH123 - the peer is a plain script
        for line in stream:
            row = json.loads(line)
            score = score_pair(row["prediction"], row["golds"])
            em, f1, count = em + score[0], f1 + score[1], count + 1
    print(em / count, f1 / count)


main(sys.argv[1])
