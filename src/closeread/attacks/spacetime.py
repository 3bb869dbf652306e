"""The strategy of times and places: one is written otherwise, or moved."""

from closeread.attacks.chinese.scripts import in_both_scripts
from closeread.attacks.chinese.spacetime import NAME, turns_zh
from closeread.attacks.context import Surroundings
from closeread.attacks.english.spacetime import turns_en
from closeread.attacks.statements import StatementStrategy
from closeread.protocols import Perturbation


def spacetime(around: Surroundings) -> Perturbation:
    """Make the strategy."""
    return StatementStrategy(NAME, {"zh": in_both_scripts(turns_zh), "en": turns_en}, around)
