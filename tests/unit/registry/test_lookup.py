"""Names to things, and things from options: what is refused, and in which words."""

import sys

import pytest

from closeread import catalog
from closeread.errors import MissingExtraError, OutsideError, UnknownNameError, UsageError
from closeread.formats import load
from closeread.registry import extras, lookup
from closeread.registry.factory import make, make_from, use_path_rule


@pytest.fixture
def outside(tmp_path, monkeypatch):
    """Write a module of somebody else's, and return how its factory is named."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def written(module, text):
        (tmp_path / f"{module}.py").write_text(text, "utf-8")
        sys.modules.pop(module, None)
        return f"{module}:made"

    return written


def test_similar_names_are_suggested():
    with pytest.raises(UnknownNameError, match=r"perhaps .*squad"):
        lookup.find_entry("metric", "sqad")
    with pytest.raises(UnknownNameError, match="closeread ls metrics"):
        lookup.find_entry("metric", "zzzzzz")


def test_a_server_address_is_only_a_reader():
    assert lookup.find_entry("reader", "http:localhost:1") == lookup.find_entry("reader", "http")
    with pytest.raises(UnknownNameError):
        lookup.find_entry("metric", "http:localhost:1")


def test_external_factories_are_found_by_path(outside):
    name = outside("others_metric", "def made(): return 7")
    assert lookup.resolve("metric", name)() == 7
    with pytest.raises(UnknownNameError, match="has no 'other'"):
        lookup.resolve("metric", "others_metric:other")
    with pytest.raises(UnknownNameError, match=r"has no 'maed'\n  expected: perhaps made"):
        lookup.resolve("metric", "others_metric:maed")
    with pytest.raises(UnknownNameError, match="cannot be imported: nowhere_to_be_found"):
        lookup.resolve("metric", "nowhere_to_be_found.inner:made")


@pytest.mark.parametrize("name", [":made", "others:", "..others:made"])
def test_invalid_paths_are_unknown_names(name):
    with pytest.raises(UnknownNameError, match="there is no metric named"):
        lookup.resolve("metric", name)


def test_a_missing_dependency_is_not_a_missing_module(outside):
    """`lacking_metric` is there; the package `lack` that it imports is not."""
    name = outside("lacking_metric", "import lack\ndef made(): return 7")
    with pytest.raises(OutsideError, match="metric lacking_metric:made cannot be imported") as told:
        lookup.resolve("metric", name)
    assert "lacking_metric.py:1: " in str(told.value)
    assert "do: install the package that provides lack" in str(told.value)


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("\n1 / 0\ndef made(): return 7", "cannot be imported: ZeroDivisionError: division", 2),
        ("def made(:", "cannot be imported: SyntaxError: invalid syntax", 1),
        ("import closeread\nclosereader = closeread.nix", "cannot be imported: AttributeError", 2),
        ("def made():\n    import lack", "cannot be made: ModuleNotFoundError: No module", 2),
        ("import json\ndef made():\n    json.loads('')", "cannot be made: JSONDecodeError", 3),
    ],
)
def test_exceptions_of_external_code_name_file_and_line(outside, text, said, line):
    """Not as a traceback of ours; Python still shows theirs, as the cause."""
    name = outside("others_raising", text)
    with pytest.raises(OutsideError, match=f"the reader others_raising:made {said}") as told:
        make("reader", name)
    assert f"others_raising.py:{line}: " in str(told.value)
    assert told.value.__cause__ is not None


def test_a_missing_extra_is_named(monkeypatch):
    entry = catalog.Entry("surely_missing_package:made", "a test", "cmrc")
    monkeypatch.setitem(catalog.CATALOG["metric"], "test", entry)
    with pytest.raises(MissingExtraError, match=r"pip install 'closeread\[cmrc\]'"):
        lookup.resolve("metric", "test")
    lacks = pytest.raises(MissingExtraError, match="reading needs the package 'surely_missing")
    with lacks, extras.require_extra("reading", "cmrc"):
        import surely_missing_package  # noqa: F401


@pytest.mark.parametrize("kind", ["reader", "retriever"])
def test_made_parts_must_be_of_their_kind(outside, kind):
    """Else every question would fail by itself, and count as wrong."""
    with pytest.raises(UsageError, match=f"the {kind} others_{kind}:made makes an object of the "):
        make(kind, outside(f"others_{kind}", "def made(): return 7"))


def test_a_factory_that_returns_none_is_an_error(outside):
    """An object stands where its class should, or what tells nobody of its options."""
    with pytest.raises(UsageError, match="metric others:made is an object of the type int"):
        make("metric", outside("others", "made = 7"))
    with pytest.raises(UsageError, match="retriever others:made is an object of the type int"):
        make("reader", "lexical", {"retriever": "others:made"})
    with pytest.raises(UsageError, match="others_format:made is a function, not a Format"):
        load(__file__, outside("others_format", "def made(): return 7"))
    made = outside("others_builtin", "made = dict")
    with pytest.raises(UsageError, match="makes an object of the type dict"):
        make("reader", made)
    with pytest.raises(UsageError, match="cannot be made from str: no signature"):
        make_from("perturbation", made, "around")


def test_undeclared_metric_factories_are_not_called(outside):
    """A stranger's run may name any function, with options, for `verify` to make its metric of."""
    name = outside("others_calling", "called = []\ndef made(x=1):\n    called.append(x)")
    with pytest.raises(UsageError, match=f"metric {name} does not declare that it makes a metric"):
        make("metric", name)
    assert sys.modules["others_calling"].called == []


def test_a_main_module_is_not_imported():
    """Imported, it does its work: `venv` makes a folder of every argument of ours."""
    for one in ("venv.__main__:main", "closeread.__main__:main"):
        with pytest.raises(UnknownNameError, match="there is no metric named"):
            make("metric", one)


def test_the_standard_library_is_not_imported_by_name(monkeypatch):
    """Of it `idlelib.idle` opens a window and waits, and `antigravity` opens a browser."""
    monkeypatch.delitem(sys.modules, "this", raising=False)
    for kind, one in (
        ("metric", "os:abort"),
        ("reader", "this:make"),
        ("metric", "idlelib.idle:x"),
    ):
        with pytest.raises(UsageError, match=f"{kind} {one} is in Python's standard library"):
            make(kind, one)
    assert "this" not in sys.modules


def test_objects_of_main_are_found(monkeypatch):
    """Such as a class in a notebook; nothing is run anew."""

    class Mine:
        def read(self, items): ...

    monkeypatch.setattr(sys.modules["__main__"], "Mine", Mine, raising=False)
    made, _ = make("reader", "__main__:Mine")
    assert isinstance(made, Mine)


def test_a_strategy_is_made_from_its_argument(outside):
    """The class itself, named instead of its factory, mostly takes nothing."""
    with pytest.raises(UsageError, match="cannot be made from str: too many positional"):
        make_from("perturbation", outside("others_strategy", "def made(): return 7"), "around")
    with pytest.raises(UsageError, match="the method 'propose'"):
        make_from("perturbation", outside("others_strategy", "def made(x): return x"), "around")


def test_options_are_checked_against_parameters():
    made, options = make("metric", "selective", {"threshold": 1})
    assert (made.threshold, options) == (1.0, {"base": "", "threshold": 1.0})
    assert isinstance(made.threshold, float)
    assert make("metric", "selective", {"threshold": None})[0].threshold is None
    assert make("metric", "selective", {"base": 3})[0].base == "3"


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "selective",
            {"threshold": "high"},
            "'high' is not a valid value for 'threshold' of the metric selective\n.*a number",
        ),
        ("squad2", {"na_threshold": True}, "True is not a valid value for 'na_threshold'"),
        ("mrqa", {"skip_no_answer": "yes"}, "'skip_no_answer' of the metric mrqa\n.*true or false"),
        ("mrqa", {"skip": True}, "has no option 'skip'\n.*one of skip_no_answer"),
        ("mrqa", {"skip_no_answers": True}, "one of skip_no_answer\n.*did you mean skip_no_answer"),
        ("squad", {"skip": True}, "no options$"),
    ],
)
def test_invalid_options_are_rejected(name, options, message):
    with pytest.raises(UsageError, match=message):
        make("metric", name, options)


def test_required_options_must_be_given(outside):
    name = outside("asking_encoder", "def made(*, size: int): return size")
    assert make("encoder", name, {"size": 3}) == (3, {"size": 3})
    with pytest.raises(UsageError, match=r"requires the option 'size'\n.*-o size=VALUE"):
        make("encoder", name)


@pytest.mark.parametrize("kind", ["PathText", "PathText | None"])
@pytest.mark.parametrize("first", ["", "from __future__ import annotations\n"])
def test_path_annotations_work_with_postponed_evaluation(outside, kind, first):
    imported = "from closeread.registry.factory import PathText\n"
    name = outside("path_encoder", f"{first}{imported}def made(index: {kind} = ''): return index")
    with use_path_rule(lambda option, path: f"{option} at {path}"):
        assert make("encoder", name, {"index": "~/x"})[0] == "index at ~/x"


@pytest.mark.parametrize("imported", ["", "from nowhere import Other\n"])
def test_options_are_checked_with_string_annotations(outside, imported):
    """Names that only type checkers know leave all of them texts."""
    text = "from __future__ import annotations\nfrom typing import TYPE_CHECKING\n"
    text += f"if TYPE_CHECKING:\n    {imported or 'pass'}\n"
    text += f"def made(size: int = 1) -> {'Other' if imported else 'int'}: return size"
    name = outside("text_encoder", text)
    assert make("encoder", name, {"size": 3})[0] == 3
    if not imported:
        with pytest.raises(UsageError, match="a whole number"):
            make("encoder", name, {"size": "many"})
