"""Prediction files in every published form, on their way in and out."""

from closeread.formats.submissions.handed_in import given_submission, load_submission
from closeread.formats.submissions.handing_in import hand_in

__all__ = ["given_submission", "hand_in", "load_submission"]
