"""The strategy of cause and effect: reordered, exchanged or denied."""

from closeread.attacks.chinese.causality import STRATEGY, propose_edits_zh
from closeread.attacks.chinese.scripts import in_both_scripts
from closeread.attacks.context import Surroundings
from closeread.attacks.english.causality import propose_edits_en
from closeread.attacks.statements import StatementStrategy
from closeread.protocols import Perturbation


def causality(around: Surroundings) -> Perturbation:
    """Make the strategy."""
    return StatementStrategy(
        STRATEGY, {"zh": in_both_scripts(propose_edits_zh), "en": propose_edits_en}, around
    )
