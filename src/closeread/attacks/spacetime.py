"""The strategy of times and places: they are written in another form, or changed."""

from closeread.attacks.chinese.scripts import in_both_scripts
from closeread.attacks.chinese.spacetime import STRATEGY, propose_edits_zh
from closeread.attacks.context import Surroundings
from closeread.attacks.english.spacetime import propose_edits_en
from closeread.attacks.statements import StatementStrategy
from closeread.protocols import Perturbation


def spacetime(around: Surroundings) -> Perturbation:
    """Make the strategy."""
    return StatementStrategy(
        STRATEGY, {"zh": in_both_scripts(propose_edits_zh), "en": propose_edits_en}, around
    )
