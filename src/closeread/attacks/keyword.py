"""The strategy of key words: numbers, quantifiers, hedges and antonyms are reworded or changed."""

from closeread.attacks.chinese.keyword import STRATEGY, propose_edits_zh
from closeread.attacks.chinese.scripts import in_both_scripts
from closeread.attacks.context import Surroundings
from closeread.attacks.english.keyword import propose_edits_en
from closeread.attacks.statements import StatementStrategy
from closeread.protocols import Perturbation


def keyword(around: Surroundings) -> Perturbation:
    """Make the strategy."""
    return StatementStrategy(
        STRATEGY, {"zh": in_both_scripts(propose_edits_zh), "en": propose_edits_en}, around
    )
