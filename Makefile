# Two commands for a newcomer: `make demo` and `make test`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PYTEST_WORKERS ?= 2

.PHONY: demo test check bench format clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.check: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[check]'
	@touch $@ $(VENV)/.core

demo: $(VENV)/.core  ## read, score and report the exam that ships with the package
	@$(BIN)/closeread run recipes/quickstart.toml --out runs/quickstart --overwrite

test: $(VENV)/.check  ## everything that the project tests
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS)

check: $(VENV)/.check  ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.check  ## medians and ratios; prints a table, writes benchmarks/out
	$(BIN)/python -m benchmarks

format: $(VENV)/.check
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf build dist src/*.egg-info runs benchmarks/out
