"""A model that knows the answer to every prompt by its question."""

import json
import os
from pathlib import Path

from opencompass.models.base import BaseModel


class Canned(BaseModel):
    def __init__(self, path, max_seq_len=2048, meta_template=None, **kwargs):
        super().__init__(path=path, max_seq_len=max_seq_len, meta_template=meta_template)
        text = Path(os.environ["MATERIAL"]).read_text("utf-8")
        self.rows = [json.loads(line) for line in text.splitlines()]

    def get_token_len(self, prompt):
        return len(prompt.split())

    def generate(self, inputs, max_out_len, **kwargs):
        return [
            next(row["says"] for row in self.rows if row["question"] in str(one)) for one in inputs
        ]

    def get_ppl(self, inputs, mask_length=None):
        raise NotImplementedError
