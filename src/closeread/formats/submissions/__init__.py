"""Reads and writes prediction files in the published forms."""

from closeread.formats.submissions.dumping import hand_in
from closeread.formats.submissions.loading import load_submission, make_submission

__all__ = ["hand_in", "load_submission", "make_submission"]
