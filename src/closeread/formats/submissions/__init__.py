"""Prediction files in every published form, on their way in and out."""

from closeread.formats.submissions.dumping import hand_in
from closeread.formats.submissions.loading import given_submission, load_submission

__all__ = ["given_submission", "hand_in", "load_submission"]
