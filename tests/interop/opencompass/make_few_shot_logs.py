"""Runs OpenCompass once more with two examples in its prompts; logs go to FOLDER/few_shot.

Usage: make_few_shot_logs.py FOLDER, with material.jsonl in it.
"""

import os
import sys
from pathlib import Path

from make_logs import main

os.environ["EXAMPLES"] = """Some examples of passages and Q&A are provided below.

# Examples
---
Passage: The mill has 12 wheels.
Question: How many wheels has the mill?
Answer: 12
---
Passage: Ada Brandt kicked off.
Question: Who kicked off?
Answer: Ada Brandt

# Your Task
---
"""
main(Path(sys.argv[1]).absolute(), "few_shot")
