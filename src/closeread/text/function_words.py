"""Function words of English and Chinese; modules that use them add words of their own."""

_ENGLISH = (
    "a an the this that these those it its he him his she her they them their we us our you your i "
    "me my of to in on at by for from with as into and or but nor so if than then there here is "
    "are was were be been being am do does did have has had can could will would may might must "
    "shall should who whom whose which what when where why how"
)
ENGLISH = frozenset(_ENGLISH.split())
# Words of place, time and number: two texts share them by chance.
_COMMON = "about over after before between under many much some any all more most other"
ENGLISH_COMMON = frozenset(_COMMON.split())
CHINESE = frozenset(
    "的了是在和与也都就而及着或之其这那为以于对有把被从到个们地得将并但等所还又很更最此吗呢什么哪"
)
