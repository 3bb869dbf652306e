"""The functions of the harness' own DROP task, under a name that a local task file can give."""

from lm_eval.tasks.drop.utils import process_docs, process_results

__all__ = ["process_docs", "process_results"]
