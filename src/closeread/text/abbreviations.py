"""List, by language, the abbreviations after which a full stop does not end a sentence.

These are the most common abbreviations of the splitters of Moses, Pragmatic Segmenter and spaCy,
divided by whether a sentence may end with them, which those do not say. The English list is ours.
"""

from typing import NamedTuple


class Abbreviations(NamedTuple):
    """The abbreviations of a language, without their last full stop.

    An entry in lower case also matches words with capitals; an entry with a capital only itself.
    """

    always: frozenset[str]  # never end a sentence: Dr.
    before_number: frozenset[str]  # do not end it before a number: No. 5
    unless_starter: frozenset[str]  # do not end it unless a starter follows: etc.
    starters: frozenset[str]  # words that usually begin a sentence
    ordinals: bool = False  # whether a full stop makes a number an ordinal: 3. Oktober


def _parse(*fields: str, ordinals: bool = False) -> Abbreviations:
    always, before_number, unless_starter, starters = (frozenset(words.split()) for words in fields)
    return Abbreviations(always, before_number, unless_starter, starters, ordinals)


_LATIN = "www dr prof st vs cf viz vol fig pp"  # languages with Latin letters

_ENGLISH = _parse(
    "www dr mr mrs ms messrs prof st jr sr gen col lt maj capt cmdr sgt cpl pvt adm rep sen gov rev"
    " hon pres mt ft vs cf viz vols figs pp eq ed eds al approx dept univ assn",
    "no nos fig vol c ca p art ch op rs",
    "etc inc ltd co corp bros llc plc ave blvd rd est min max sq lb lbs oz hr hrs"
    " Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun",
    "a an the this that these those he she it they we you i his her its their our my in on at by"
    " for from with after before during when while where who what why how if as but and or so"
    " however although though since because there here then thus some many most one two each all"
    " no not another both once",
)
_GERMAN = _parse(
    f"{_LATIN} al ca hr hrn fr frl fa fam dres dipl ing med phil jur rer theol hl bzw bspw vgl"
    " ggf evtl sog bzgl inkl exkl einschl zzgl abzgl geb gest verh ehem insb urspr lat griech engl"
    " frz dt österr schweiz kath evang röm jun sen allg",
    "nr s art abs bd bde kap tab abb abt tel",
    "usw usf etc ff a b c d e f g h i k l m n o p r t u v w x y z ä tsd mio mrd std jh jhd chr str"
    " bhf hbf Jan Feb Mär Mrz Apr Jun Jul Aug Sep Sept Okt Nov Dez",
    "der die das dem den des ein eine einer eines einem einen er sie es wir ihr ich man in im am an"
    " auf aus bei beim mit nach seit von vom vor zu zum zur für durch über unter um als wenn"
    " während obwohl weil dass da dann dort hier so auch nur noch aber und oder doch jedoch sein"
    " seine ihre ihren dieser diese dieses diesem jeder viele einige alle kein keine was wer wie wo"
    " danach dabei damit dadurch daher deshalb zudem außerdem allerdings zwischen gegen ab bis",
    ordinals=True,
)
_SPANISH = _parse(
    f"{_LATIN} al ca sr sra srta sres sras dra dres dras d ud uds vd vds lic ing arq gral cnel"
    " mons sto sta fr mt ee av avda ej prov aprox s p",
    "núm no nº pág págs art arts cap párr párrf tel",
    "etc max min máx mín cía ltda hnos admón uu"
    " ene feb mar abr may jun jul ago sep sept oct nov dic",
    "el la los las lo un una unos unas este esta estos estas ese esa esto eso él ella ellos ellas"
    " en a de con por para desde hasta según sin sobre tras durante entre y e o pero sino aunque"
    " si no cuando como donde que quien porque pues luego entonces después antes además también"
    " así su sus se al del muchos algunos todos cada otro otra ambos tal",
)
_FRENCH = _parse(
    f"{_LATIN} al ca m mm mr mme mmes mlle mlles me mgr drs pr ste env apr av boul éd ex p",
    "no art chap tél",
    "etc max min hab cie janv févr avr juill sept oct nov déc",
    "le la les l un une des du ce cet cette ces il elle ils elles on je nous vous en à au aux dans"
    " de par pour avec sans sous sur depuis pendant après avant entre vers chez selon et ou mais"
    " donc or car si quand comme lorsque puis ensuite alors ainsi aussi son sa ses leur leurs qui"
    " que où c d s n j y tous certains plusieurs chaque",
)
_ROMANIAN = _parse(
    f"{_LATIN} dl dna dra dvs sf ing acad bd bul str șos jud ex aprox",
    "nr pag pg art alin cap lit pct tel",
    "etc ș a hr chr d î ian feb mar apr mai iun iul aug sept oct noi nov dec",
    "un o unei unui acest această acești aceste acel acea el ea ei ele în la de din cu pe prin"
    " pentru după înainte între sub peste către și sau dar însă dacă când cum unde ce care deși"
    " deoarece apoi atunci astfel nu mulți unii toți fiecare se",
)
_TURKISH = _parse(
    "www dr prof doç av sn uzm yrd öğr gör arş hz mah cad sok bul apt ing fr alm lat yun bkz örn",
    "no nr s",
    "vb vd vs",
    "bu şu o bir ve ama fakat ancak ayrıca daha sonra önce ise için ile her bazı birçok çok tüm"
    " onun onlar ben biz siz ne nasıl neden",
    ordinals=True,
)
_VIETNAMESE = _parse("www dr mr prof st vs tp ts ths gs pgs bs ks tx q p h", "", "v.v vv", "")
_RUSSIAN = _parse(
    "им ул пл пгт просп проф акад доц св ср напр т е мл ген лат англ нем греч франц итал букв ок",
    "стр с рис табл гл кн ч п ст тел кв д вып",
    "г гг в вв д р др пр э н м см тыс млн млрд руб коп долл мин сек час кг куб кв обл"
    " янв фев февр мар апр июн июл авг сен сент окт ноя нояб дек",
    "в во на с со к ко у о об от до по из за под над при для без через после перед между и а но"
    " или если когда как где что кто хотя он она оно они мы вы я это этот эта эти тот та те его"
    " её ее их так также там тогда затем потом однако не ни все всё многие некоторые каждый"
    " другие был была было были",
)
_GREEK = _parse(
    "κ κα κκ κος δρ καθ αγ βλ λ π χ λχ πχ οδ εκ",
    "σελ αρ αρθ παρ τηλ",
    "κλπ κ.λπ κτλ κ.τ.λ χλμ Ιαν Φεβ Μαρ Απρ Ιουν Ιουλ Αυγ Σεπ Οκτ Νοε Δεκ",
    "ο η το οι τα τον την του της των ένας μια μία ένα αυτός αυτή αυτό στο στη στην στον στις"
    " στους στα σε με από για κατά μετά πριν μέχρι και ή αλλά όμως αν όταν όπως όπου που ποιος"
    " γιατί επειδή ενώ δεν δε θα να έτσι τότε επίσης πολλοί όλοι κάθε",
)
_ARABIC = _parse("د أ ا م ه هـ ص ج ت ب ق س ر", "", "إلخ", "")
_HINDI = _parse(  # the last line: the names of Latin letters, with which initials are written
    "डॉ डा प्रो पं श्री सु मो कु मि सं ई पू कि से रु लि"
    " ए बी सी डी एफ जी एच आई जे के एल एम एन ओ पी क्यू आर एस टी यू वी डब्ल्यू एक्स वाई जेड",
    "", "", "",
)  # fmt: skip

_BY_LANGUAGE = {
    "ar": _ARABIC,
    "de": _GERMAN,
    "el": _GREEK,
    "es": _SPANISH,
    "fr": _FRENCH,
    "hi": _HINDI,
    "ro": _ROMANIAN,
    "ru": _RUSSIAN,
    "tr": _TURKISH,
    "vi": _VIETNAMESE,
}


def abbreviations_of(language: str) -> Abbreviations:
    """Return the abbreviations of a language, or those of English if there is no list."""
    return _BY_LANGUAGE.get(language, _ENGLISH)
