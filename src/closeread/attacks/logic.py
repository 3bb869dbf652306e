"""The strategy of logic: premise and conclusion are reworded, exchanged or denied."""

from closeread.attacks.chinese.logic import NAME, turns_zh
from closeread.attacks.chinese.scripts import in_both_scripts
from closeread.attacks.context import Surroundings
from closeread.attacks.english.logic import turns_en
from closeread.attacks.statements import StatementStrategy
from closeread.protocols import Perturbation


def logic(around: Surroundings) -> Perturbation:
    """Make the strategy."""
    return StatementStrategy(NAME, {"zh": in_both_scripts(turns_zh), "en": turns_en}, around)
