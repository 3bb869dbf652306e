"""Prediction files in every published form, on their way in and out."""

from closeread.formats.submissions.dumping import hand_in
from closeread.formats.submissions.loading import load_submission, make_submission

__all__ = ["hand_in", "load_submission", "make_submission"]
