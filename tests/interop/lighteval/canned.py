"""A model that knows the answer to every prompt by its question, and stops where it is told."""

import json
import os
from pathlib import Path

from lighteval.models.abstract_model import LightevalModel
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.prompt_manager import PromptManager
from lighteval.utils.cache_management import SampleCache


class Canned(LightevalModel):
    def __init__(self, config):
        self.config = config
        self._cache = SampleCache(config)
        self.prompts = PromptManager()
        text = Path(os.environ["MATERIAL"]).read_text("utf-8")
        self.rows = [json.loads(line) for line in text.splitlines()]

    @property
    def tokenizer(self):
        return None

    @property
    def add_special_tokens(self):
        return False

    @property
    def max_length(self):
        return 2048

    def greedy_until(self, docs):
        found = []
        for doc in docs:
            row = next(row for row in self.rows if row["question"] in doc.query)
            text = row["says"]
            for stop in doc.stop_sequences or ():  # as the harness' own backends do
                text = text.partition(stop)[0]
            prompt = self.prompts.prepare_prompt(doc)  # as the backends build it, and log it
            found.append(ModelResponse(input=prompt, text=[text]))
        return found

    def loglikelihood(self, docs):
        raise NotImplementedError

    def loglikelihood_rolling(self, docs):
        raise NotImplementedError
