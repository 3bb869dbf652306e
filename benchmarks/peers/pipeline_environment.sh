#!/bin/sh
# Makes .venv-pipeline: transformers 4.57 with its question-answering pipeline, which 5.3 removed.
# TORCH names another build of torch for your machine, as in the Makefile.
set -e
root=$(cd "$(dirname "$0")/../.." && pwd)
folder="$root/.venv-pipeline"
test -f "$folder/ready" && exit 0
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet "${TORCH:-torch==2.13.0}"
"$folder/bin/python" -m pip install --quiet 'transformers==4.57.*' 'numpy>=2'
"$folder/bin/python" -c 'import torch
from transformers import pipeline
from transformers.pipelines.question_answering import QuestionAnsweringPipeline'
touch "$folder/ready"
