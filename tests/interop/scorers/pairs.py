"""Pairs of what was said and what is accepted, on which scorers tend to part."""

import json
from itertools import product

# Accepted answers; each of them is one span or several.
GOLDS = [
    [["47"], ["47 yards"]],
    [["12.25"], ["12.3"]],
    [["9"], ["9", "7"]],
    [["-5"]],
    [["1,000"], ["1000"]],
    [["1/2"]],
    [["10%"], ["10 percent"]],
    [["$1.5 million"]],
    [["3-4"], ["3 to 4"]],
    [["5th"], ["fifth"]],
    [["nan"]],
    [["3 March 1992"], ["March 1992"]],
    [["Ada Brandt"], ["Brandt"]],
    [["Ada Brandt", "Tom Veld"], ["Brandt", "Veld"]],
    [["31", "22", "47"]],
    [["the harbour of Lund", "a mill", "two ferries", "the old mill"]],
    [["the Herons"], ["Herons"]],
    [["the"], [" "]],
    [["a"]],
    [["U.S. Army"], ["US Army"]],
    [["half-time"], ["half time"]],
    [["O'Neill & Sons"]],
    [["no, no, no"]],
    [["長江大橋"], ["长江大桥"]],
    [["北京大学", "清华大学"]],
    [["Straße"], ["strasse"]],
    [["٤٧"]],
    [["1e3"], ["1000"]],
]
EDITS = {
    "as it is": "{0}",
    "full stop": "{0}.",
    "comma": "{0},",
    "white space": "  {0}\t",
    "next line": "{0}\n\nPassage: The harbour was built in 1870.",
    "line before": "Let us see.\n{0}",
    "sentence": "The answer is {0}.",
    "prefix": "Answer: {0}",
    "prefix late": "There were two.\nANSWER : {0}\nThat is all.",
    "prefix twice": "Answer: 2\nAnswer: {0}",
    "currency": "${0}",
    "percent": "{0}%",
    "sign": "-{0}",
    "minus": "\u2212{0}",
    "unit": "{0} yards",
    "article": "the {0}",
    "articles within": "a {0} an the",
    "quotes": '"{0}"',
    "curly quotes": "\u201c{0}\u201d",
    "brackets": "({0})",
    "marks": "**{0}**!",
    "no-break": "{0}\u00a0yards",
    "decimal": "{0}.0",
    "twice": "{0} {0}",
    "hyphen": "{0}-yard",
    "full-width stop": "{0}。",
    "further word": "{0} of Lund",
    "longer number": "1{0}",
}
WHOLE = {
    "upper": str.upper,
    "lower": str.lower,
    "cut at a point": lambda text: text.split(".")[0],
    "first word": lambda text: text.split(" ")[0],
    "last word": lambda text: text.split(" ")[-1],
    "backwards": lambda text: " ".join(reversed(text.split(" "))),
    "without blanks": lambda text: text.replace(" ", ""),
    "full-width": lambda text: "".join(
        chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text
    ),
    "letters apart": " ".join,
}
CONSTANT = ["", " ", "\n", "2", "0", "the", ".", "-", "Answer:", "Answer: ", "inf", "no"]
JOINTS = [", ", ",", " and ", "; "]


def written(text):
    """What was said instead of ``text``, in every way."""
    yield from (edit.format(text) for edit in EDITS.values())
    yield from (edit(text) for edit in WHOLE.values())


def pairs():
    """Every pair, each once, always in the same order, as (said, accepted answers)."""
    found = {}
    for golds in GOLDS:
        texts = [joint.join(gold) for gold, joint in product(golds, JOINTS)]
        texts += [", ".join(reversed(gold)) for gold in golds]
        said = [one for text in dict.fromkeys(texts) for one in written(text)]
        others = [other[0][0] for other in GOLDS]
        for one in [*said, *CONSTANT, *others]:
            found.setdefault((one, json.dumps(golds)), golds)
    return [(said, golds) for (said, _), golds in found.items()]
