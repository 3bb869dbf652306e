"""What the documents say works: commands run, examples run, links lead somewhere."""

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import ModuleType

import pytest

import closeread
from option_tables import documented_defaults, matches_default
from project_paths import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.md")])
_LINK = re.compile(r"\]\(([^)#:]*)(?:#([^)]*))?\)")
_CALL = re.compile(r"closeread (\w+)([^\n`#|]*)")
_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
_PATH = re.compile(r"`((?:src|tests|docs|recipes|benchmarks|examples)/[\w./-]*\w)/?`")


def _commands(page: str) -> list[str]:
    """The indented `closeread` commands of a page that need nothing but the shipped exam."""
    lines = (ROOT / page).read_text("utf-8").splitlines()
    found = [line.split("  #")[0].strip() for line in lines if line.startswith("    closeread ")]
    return [line for line in found if "exam/" in line or "runs/" in line]


def _run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    found = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"PYTHONPATH": found, "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-m", *command.split()],
        cwd=folder, capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip


@pytest.mark.parametrize("page", ["README.md", "README.zh.md"])
def test_readme_commands_run(page, tmp_path):
    """Every command of the README that needs no data runs, in the README's order."""
    commands = _commands(page)
    assert len(commands) >= 9
    for command in commands:
        done = _run(command, tmp_path)
        assert done.returncode == 0, (command, done.stderr[-2000:])
        assert "Traceback" not in done.stderr


def _write_examples(folder: Path) -> None:
    """Write the code of docs/extend.md into the files that it names."""
    text = (ROOT / "docs/extend.md").read_text("utf-8")
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        name = re.match(r"# (\w+\.py)\n", code)
        assert name is not None
        (folder / name[1]).write_text(code, "utf-8")


def test_the_examples_run(tmp_path):
    """The code of docs/extend.md is a reader, a metric, ... that closeread takes by name."""
    _write_examples(tmp_path)
    read = _run("closeread read exam/zh --reader my_readers:last_option --out runs/last", tmp_path)
    assert read.returncode == 0, read.stderr
    scored = _run("closeread score runs/last --metric my_metrics:AnswerLength --json", tmp_path)
    assert scored.returncode == 0, scored.stderr
    assert '"length.characters"' in scored.stdout
    found = _run("closeread evidence exam/zh --retriever my_retrievers:longest --json", tmp_path)
    assert found.returncode == 0, found.stderr
    assert '"evidence.f1"' in found.stdout
    beamdr = "closeread evidence exam/zh --retriever beamdr,encoder=my_encoders:pairs"
    found = _run(beamdr, tmp_path)
    assert found.returncode == 0, found.stderr
    verify = "closeread read exam/zh --reader my_verifiers:verifier -o retriever=bm25 --out v"
    assert _run(verify, tmp_path).returncode == 0
    scored = _run("closeread score v --json", tmp_path)
    metrics = json.loads(scored.stdout)["metrics"]
    assert metrics["choice.accuracy"]["n_answered"] == metrics["evidence.f1"]["n_answered"] == 108
    attacked = _run(
        "closeread attack exam/en --strategy my_strategies:shouting --out loud.jsonl", tmp_path
    )
    assert attacked.returncode == 0, attacked.stderr
    assert "WHICH" in (tmp_path / "loud.jsonl").read_text("utf-8")
    (tmp_path / "mine.tsv").write_text("q1\tAnn ran.\tWho ran?\tAnn\nq1\tAnn ran.\tWho?\tAnn\n")
    told = _run("closeread describe mine.tsv --format my_formats:FORMAT --json", tmp_path)
    assert told.returncode == 0, told.stderr
    assert '"duplicate-id"' in told.stdout
    (tmp_path / "mine.tsv").write_text("q1\tAnn ran.\n")
    told = _run("closeread describe mine.tsv --format my_formats:FORMAT", tmp_path)
    assert told.returncode == 2
    assert "mine.tsv, line 1" in told.stderr


def test_the_examples_keep_what_parts_of_the_catalog_promise(tmp_path, monkeypatch):
    """As tests/contract asks of ours; what they are called is their own affair."""
    from closeread.readers import make
    from contract import test_metrics, test_perturbations, test_readers, test_retrievers

    _write_examples(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("my_readers:last_option", "my_verifiers:verifier"):
        test_readers.test_one_prediction_an_item(lambda one: make(one)[0], name)
        test_readers.test_the_same_again(lambda one: make(one)[0], name)
        test_readers.test_what_it_says_can_be_held_against_the_text(lambda one: make(one)[0], name)
    encoded = {one: {"encoder": "my_encoders:pairs"} for one in ("dense", "beamdr")}
    for name in ("my_retrievers:longest", *encoded):
        for k in (None, 0, 1, 2):
            test_retrievers.test_evidence_is_sentences_in_text_order(name, k, encoded)
        test_retrievers.test_the_same_again(name, encoded)
        test_retrievers.test_what_is_copied_is_found(name, encoded)
    metric = "my_metrics:AnswerLength"
    test_metrics.test_a_missing_prediction_neither_raises_nor_helps(metric)
    test_metrics.test_a_failure_is_no_error(metric)
    test_metrics.test_variants_are_resampled_with_their_original(metric)
    test_metrics.test_pools_are_sums(metric)
    strategy = "my_strategies:shouting"
    case = (strategy, "exam/en", test_perturbations.proposed(strategy, "exam/en"))
    test_perturbations.test_a_change_leaves_answers_where_they_are(case)
    test_perturbations.test_the_same_seed_proposes_the_same_whatever_was_asked_before(case)
    test_perturbations.test_what_it_does_with_empty_texts(case)
    test_perturbations.test_an_entailment_is_left_alone(case)


def test_an_example_without_what_it_needs_says_how_it_is_called():
    """In its own words, not in Python's."""
    for script in (ROOT / "examples").glob("*.py"):
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert f"python examples/{script.name} " in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    """Every relative link of every page names a file, and a heading in it, that is there."""
    for target, anchor in _LINK.findall(page.read_text("utf-8")):
        led_to = page.parent / target if target else page
        assert led_to.exists(), target
        assert not anchor or anchor in _anchors(led_to), (target, anchor)


def _anchors(page: Path) -> set[str]:
    """What the headings of a page are linked by: small, without marks, with `-` for blanks."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_and_paths_are_there(page):
    """Every option that a command is shown with is the verb's, and every path of ours is there."""
    from closeread.cli import COMMANDS

    text = page.read_text("utf-8").replace("\\\n", " ")
    for verb, rest in _CALL.findall(text):
        if verb in COMMANDS:  # else the name begins a sentence
            known = import_module(f"closeread.cli.{verb}").command.params
            options = {option for one in known for option in (*one.opts, *one.secondary_opts)}
            assert set(_OPTION.findall(rest)) <= options | {"--help"}, (verb, rest)
    for path in _PATH.findall(text):
        assert (ROOT / path).exists(), path


def test_every_format_has_one_row():
    """The table of docs/formats.md holds each format of the catalog once, and no other."""
    from closeread import catalog

    page = (ROOT / "docs/formats.md").read_text("utf-8")
    table = page.split("## Supported formats")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)
    assert sorted(rows) == sorted(catalog.names("format"))


def test_every_reader_and_every_extra_is_told():
    """docs/readers.md names each reader, docs/install.md each extra, in a row of its table."""
    from closeread import catalog

    def told(page: str) -> set[str]:
        rows = re.findall(r"^\| (`[^|]*)\|", (ROOT / page).read_text("utf-8"), re.MULTILINE)
        return {name for row in rows for name in re.findall(r"`([\w-]+)", row)}

    assert set(catalog.names("reader")) <= told("docs/readers.md")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(project["optional-dependencies"]) <= told("docs/install.md")


@pytest.mark.parametrize(
    ("page", "header", "kind", "names"),
    [
        ("docs/choice.md", "| option | default | |", "reader", ("choice",)),
        ("docs/readers.md", "| option | default | |", "reader", ("span", "choice", "chunk")),
        ("docs/verifier.md", "| option | default | meaning |", "reader", ("verifier",)),
        ("docs/span.md", "| option | default | meaning |", "reader", ("span",)),
        ("docs/http-reader.md", "| option | default | meaning |", "reader", ("http",)),
        (
            "docs/vgaokao.md",
            "| option | default | meaning |",
            "retriever",
            ("bm25", "dense", "hard-masking", "soft-masking"),
        ),
    ],
)
def test_tables_of_options_tell_the_defaults(page, header, kind, names):
    """Each option of such a table is one that there is, with the default that the code has.

    Where the table is one reader's own it holds all of them.
    """
    from closeread.registry import lookup

    told, known = documented_defaults(page, header), set()
    for name in names:
        parameters = signature(lookup.resolve(kind, name)).parameters
        options = {one: told for one, told in parameters.items() if told.kind != told.VAR_KEYWORD}
        known |= options.keys()
        for one in told.keys() & options.keys():
            assert not told[one] or matches_default(options[one].default, told[one]), (name, one)
    assert told.keys() == known if len(names) == 1 else told.keys() <= known


def test_every_option_of_a_reader_is_told_on_its_page():
    """Where the table of docs/readers.md leads to; floors are told in the table itself."""
    from closeread import catalog
    from closeread.registry.factory import declared_options

    table = (ROOT / "docs/readers.md").read_text("utf-8").split("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]*) \|.*\| (.*) ?\|$", table, re.MULTILINE)
    pages = {
        name: re.sub(r".*\(([\w-]+\.md)\).*", r"\1", link)
        for names, link in rows
        for name in re.findall(r"`([\w-]+)", names)
    }
    for name in catalog.names("reader"):
        page = pages[name] if pages[name].endswith(".md") else "readers.md"
        text = (ROOT / "docs" / page).read_text("utf-8")
        marked = re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
        told = set(re.findall(r"\w+", " ".join([*marked, *re.findall(r"-o \w+=", text)])))
        assert {one.name for one in declared_options("reader", name)[0]} <= told, (name, page)


def test_the_page_on_serving_tells_the_defaults():
    """Every number behind an option, in its table of limits and in its sentences, is the verb's."""
    from closeread.cli.serve import command

    page = (ROOT / "docs/serve.md").read_text("utf-8")
    defaults = {one.opts[0]: one.default for one in command.params}
    told = re.findall(r"`(--[\w-]+)` \(?(\d+)\b", page)
    assert len(told) > 10
    assert [(one, float(number)) for one, number in told if defaults[one] != float(number)] == []


def test_signatures_are_those_that_the_metrics_give():
    """As docs/metrics.md shows them, but for the versions of what is installed."""
    from closeread.registry.factory import make

    def fields(signature: str) -> list[str]:
        return [one for one in signature.split("|")[1:] if not re.match("unicode:|punkt:", one)]

    told = re.findall(r"`([\w.~]+\|[^`]*)`", (ROOT / "docs/metrics.md").read_text("utf-8"))
    assert len(told) > 12
    for one in told:
        value, mend = re.match(r"(\w+)[^~|]*(~\w+)?", one).groups("")
        options = {"answer_language": "de"} if value == "mlqa" else {}
        metric, _ = make("metric", value + mend, options)
        assert fields(one) == fields(metric.signature()), one


def test_the_page_on_getting_sets_tells_their_questions():
    """Each set has its row, with the questions of its files, one by one or summed."""
    from closeread.downloads.sets import SETS

    page = (ROOT / "docs/get.md").read_text("utf-8").split("## The sets")[1]
    rows = re.findall(r"^\| `([\w/-]+)` \| .* \| ([\d,+— ]+) \| [^|]* \|$", page, re.MULTILINE)
    told = {name: cell.replace(",", "").split(" + ") for name, cell in rows}
    assert told.keys() == SETS.keys()
    for name, found in SETS.items():
        counted = [
            one.examples
            for file in found.files
            for one in (*file.members, *([file] * (not file.members)))
        ]
        many = [str(number) if number else "—" for number in counted]
        assert told[name] in (many, [str(sum(filter(None, counted)))]), name


def test_both_readmes_show_the_same():
    """Links, commands and their order, and names and numbers of the table, in either language."""

    def shown(name: str) -> list[object]:
        page = (ROOT / name).read_text("utf-8")
        commands = re.findall(r"^    (?:closeread|make) .*$", page, re.MULTILINE)
        rows = re.findall(r"^\| `.*$", page, re.MULTILINE)
        assert len(commands) > 20
        assert len(rows) > 10
        return [
            {*_LINK.findall(page)} - {("README.md", ""), ("README.zh.md", "")},
            [re.sub(r'"[^"\\]*"', "", line.split(" #")[0]).split() for line in commands],
            [re.findall(r"`[^`]+`|\d(?:[\d,.]*\d)?", row) for row in rows],
        ]

    for english, chinese in zip(shown("README.md"), shown("README.zh.md"), strict=True):
        assert english == chinese


def test_every_folder_is_told():
    """The table of CONTRIBUTING.md names each folder of the package once, and no other."""
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = page.split("## Where things are")[1].split("\n## ")[0]
    told = [
        name
        for row in re.findall(r"^\| (`[^|]*)\|", table, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    ]
    folders = [one.parent.name for one in (ROOT / "src/closeread").glob("*/__init__.py")]
    assert sorted(told) == sorted(folders)


def test_recipes_load():
    """Every shipped recipe is valid."""
    from closeread.pipeline.recipe import load_recipe

    recipes = sorted((ROOT / "recipes").glob("*.toml"))
    assert recipes
    for path in recipes:
        load_recipe(path)


def test_the_python_page_runs(tmp_path):
    """Its code runs from top to bottom, but for what needs a checkpoint (tests/neural has that)."""
    text = (ROOT / "docs/python.md").read_text("utf-8")
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    alone = [one for one in code if "checkpoints/" not in one]
    assert len(alone) == len(code) - 1 >= 7
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(alone)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("1894 ")  # the lexical reader's answer
    assert lines[1].startswith("B ")  # the verifier's
    assert lines[2:4] == ["1894", "Ann Lorm"]
    assert (tmp_path / "page.html").exists()


def test_the_evidence_page_prints_what_it_says():
    """The last line of its Python gives what the comment behind it tells."""
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/evidence.md").read_text(), re.DOTALL)
    *lines, last = code.strip().splitlines()
    expression, told = last.split("  # ")
    scope: dict[str, object] = {}
    exec("\n".join(lines), scope)
    assert repr(eval(expression, scope)) == told


def test_rows_of_a_hub_become_files_as_the_page_says(tmp_path, monkeypatch):
    """MRQA's, as `datasets` gives them (it is not installed for this)."""
    rows = [
        {"subset": subset, "context": "Ann ran.", "qid": qid, "question": "Who?",
         "answers": ["Ann", "ann"], "context_tokens": {"tokens": ["Ann"], "offsets": [0]}}
        for subset, qid in (("SQuAD", "a"), ("SQuAD", "b"), ("NewsQA", "c"))
    ]  # fmt: skip
    stand_in = ModuleType("datasets")
    stand_in.load_dataset = lambda name, split: rows
    monkeypatch.setitem(sys.modules, "datasets", stand_in)
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/formats.md").read_text("utf-8")
    (code,) = [
        one for one in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "load_dataset" in one
    ]
    exec(code, {})
    mrqa = closeread.load("SQuAD.jsonl")
    (_, questions), *more = mrqa
    assert not more and (mrqa.format, mrqa.name) == ("mrqa", "SQuAD-dev")
    assert [(one.question_id, len(one.answers)) for one in questions] == [("a", 2), ("b", 2)]


@pytest.mark.parametrize("page", ["README.md", "README.zh.md"])
def test_the_readmes_python_runs(page, tmp_path):
    """What the README shows of Python runs as it stands there."""
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] in ("1894", "B")
