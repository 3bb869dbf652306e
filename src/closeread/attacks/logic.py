"""The strategy of logic: assertions are reworded, reordered, exchanged or negated."""

from closeread.attacks.chinese.logic import STRATEGY, propose_edits_zh
from closeread.attacks.chinese.scripts import in_both_scripts
from closeread.attacks.context import Surroundings
from closeread.attacks.english.logic import propose_edits_en
from closeread.attacks.statements import StatementStrategy
from closeread.protocols import Perturbation


def logic(around: Surroundings) -> Perturbation:
    """Make the strategy."""
    return StatementStrategy(
        STRATEGY, {"zh": in_both_scripts(propose_edits_zh), "en": propose_edits_en}, around
    )
