"""The house keeps its shape: light imports, short files, telling names."""

import ast
import re
import subprocess
import sys
import tomllib
from itertools import chain

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from project_paths import ROOT

HEAVY = (
    "torch",
    "transformers",
    "pandas",
    "numpy",
    "scipy",
    "nltk",
    "spacy",
    "matplotlib",
    "rich",
    "httpx",
)


def _loaded_after(code: str) -> set[str]:
    printed = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return {name.split(".")[0] for name in printed.split()}


def test_import_is_light():
    """`import closeread` loads no heavy package."""
    assert not _loaded_after("import closeread; closeread.load; closeread.Question") & set(HEAVY)


def test_help_is_light():
    """`closeread --help` loads no heavy package."""
    code = (
        "import contextlib, io\n"
        "from closeread.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    main(['--help'])"
    )
    assert not _loaded_after(code) & set(HEAVY)


def test_a_run_is_opened_without_what_few_runs_need():
    """Patterns of free text take longer to compile than a small file to score."""
    rules = "closeread.readers.generative.rules"
    code = f"import sys, closeread.runs\nassert {rules!r} not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_files_are_short():
    """No source file has more than 400 lines."""
    long = {
        str(path.relative_to(ROOT)): count
        for path in (ROOT / "src").rglob("*.py")
        if (count := len(path.read_text("utf-8").splitlines())) > 400
    }
    assert not long


def test_only_named_files_open_the_network():
    """Readers ask through one client, `get` fetches, `serve` listens; nothing else reaches out."""
    opens = re.compile(
        r"^\s*(?:import|from) (?:httpx|httpcore|requests|aiohttp|socket|http\.client"
        r"|urllib\.request|ftplib|smtplib|uvicorn)\b",
        re.MULTILINE,
    )
    found = {
        path.relative_to(ROOT / "src/closeread").as_posix()
        for path in (ROOT / "src").rglob("*.py")
        if opens.search(path.read_text("utf-8"))
    }
    client = {f"readers/http/{name}.py" for name in ("addresses", "connection", "network")}
    assert found <= client | {
        "downloads/environment.py", "downloads/transport.py", "downloads/fetch.py",
        "serve/listen.py", "serve/connection.py",
    }  # fmt: skip


def test_what_is_no_code_is_installed_with_it():
    """Tables, prompts and pages lie where the code reads them, in a wheel, too."""
    root = ROOT / "src/closeread"
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    installed = {path for one in told["package-data"]["closeread"] for path in root.glob(one)}
    printed = subprocess.run(
        ["git", "ls-files", "-z", "src/closeread"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if printed.returncode:
        pytest.skip("no checkout of git: which files belong to the package cannot be told")
    kept = {ROOT / name for name in printed.stdout.split("\0") if name}
    assert {path for path in kept if path.suffix != ".py" and path.exists()} <= installed


def _needed(project, extras, seen):
    """The packages of the project and of these extras, also by way of other extras."""
    lists = [project["dependencies"], *(project["optional-dependencies"][one] for one in extras)]
    for needed in map(Requirement, chain.from_iterable(lists)):
        if needed.name != project["name"]:
            yield needed
        elif more := needed.extras - seen:
            yield from _needed(project, more, seen | more)


def _pinned(lock):
    lines = (ROOT / f".ci/{lock}.lock").read_text("utf-8").splitlines()
    pairs = (line.split("==") for line in lines)
    return {canonicalize_name(name): version for name, version in pairs}


@pytest.mark.parametrize(("extra", "lock"), [("check", "core"), ("neural", "neural")])
def test_what_the_tests_need_has_one_version(extra, lock):
    """One that fits: else the same tests could fail tomorrow, for what others published."""
    pins = _pinned(lock)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for needed in _needed(project, {extra}, {extra}):
        if needed.name != "torch":  # the Makefile's, and a build of it for the machine
            assert pins[canonicalize_name(needed.name)] in needed.specifier, needed


@pytest.mark.parametrize("path", sorted((ROOT / "tests/interop").glob("*/requirements.txt")))
def test_what_a_harness_needs_has_one_version(path):
    """Of torch the requirements alone tell the version: the build is the machine's."""
    pins = _pinned(f"interop/{path.parent.name}")
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith(("torch", "--editable")):
            needed = Requirement(line)
            assert pins[canonicalize_name(needed.name)] in needed.specifier, needed


def test_names_say_something():
    """No file is called by a word that could name anything."""
    empty = {"utils", "util", "helpers", "common", "base", "manager", "misc"}
    assert not [path for path in (ROOT / "src").rglob("*.py") if path.stem in empty]


def test_what_a_function_raises_stands_in_its_docstring():
    """Of every public function of a module that makes one of our errors itself."""
    silent = [
        f"{path.relative_to(ROOT)}: {function.name}"
        for path in (ROOT / "src").rglob("*.py")
        for function in ast.parse(path.read_text("utf-8")).body
        if isinstance(function, ast.FunctionDef)
        and not function.name.startswith("_")
        and not any("click.command" in ast.unparse(one) for one in function.decorator_list)
        and any(re.match(r"raise [A-Z]\w+Error\(", ast.unparse(one)) for one in _raised(function))
        and not re.search(r"Raises:|\braises as\b", ast.get_docstring(function) or "")
    ]
    assert not silent


def _raised(function: ast.AST) -> list[ast.Raise]:
    """Its own, not those of functions in it, which may never be called here."""
    found = []
    for one in ast.iter_child_nodes(function):
        if isinstance(one, ast.Raise):
            found.append(one)
        elif not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            found += _raised(one)
    return found


def test_every_catalog_target_exists():
    """Every catalog line names something that can be imported, or is written where it says.

    What needs an extra that is not installed here is imported by tests/neural.
    """
    from closeread import catalog
    from closeread.errors import MissingExtraError
    from closeread.registry import lookup

    for kind in catalog.CATALOG:
        for name in catalog.names(kind):
            try:
                assert lookup.resolve(kind, name) is not None, (kind, name)
            except MissingExtraError:
                module, _, attribute = lookup.find_entry(kind, name).target.partition(":")
                path = ROOT / "src" / (module.replace(".", "/") + ".py")
                assert f"\ndef {attribute}(" in path.read_text("utf-8"), (kind, name)


def test_all_is_importable():
    """Every public name resolves."""
    import closeread

    for name in closeread.__all__:
        assert getattr(closeread, name) is not None


def test_what_packagers_build_from_holds_all_that_is_kept():
    """Of itself setuptools puts the package alone into it: no test, no page, no recipe."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout")
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    kept = {line.partition("/")[0] for line in listed.splitlines()}
    lines = (ROOT / "MANIFEST.in").read_text().splitlines()
    named = {
        name for line in lines if line.startswith(("include", "graft")) for name in line.split()
    }
    of_itself = {"src", "pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", ".gitignore"}
    assert kept - named == of_itself
