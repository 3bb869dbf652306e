# Two commands for a newcomer: `make demo` and `make test`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PYTEST_WORKERS ?= 2
TORCH  ?= torch==2.13.0  # or a build of it for your machine: make neural TORCH=...
NEURAL := .venv-neural
PINS   ?= .ci  # where the versions stand that the tests passed with; make test PINS= takes the newest
PINNED  = $(if $(strip $(PINS)),--constraint $(strip $(PINS))/$1.lock)

.PHONY: demo test neural check lock lock-interop bench interop format clean

# pip stands last in a new environment: one that broke off before is made whole.
%/bin/pip:
	$(PYTHON) -m venv $*

$(VENV)/.core: pyproject.toml .ci/core.lock | $(BIN)/pip
	$(BIN)/python -m pip install --quiet $(call PINNED,core) --editable .
	@touch $@

$(VENV)/.check: pyproject.toml .ci/core.lock | $(BIN)/pip
	$(BIN)/python -m pip install --quiet $(call PINNED,core) --editable '.[check]'
	@touch $@ $(VENV)/.core

demo: $(VENV)/.core  ## read, score and report the exam that ships with the package
	@$(BIN)/closeread run recipes/quickstart.toml --out runs/quickstart --overwrite

test: $(VENV)/.check  ## all tests that need neither torch nor other harnesses
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) -m "not interop"

$(NEURAL)/.neural: pyproject.toml .ci/neural.lock | $(NEURAL)/bin/pip
	$(NEURAL)/bin/python -m pip install --quiet $(call PINNED,neural) $(TORCH)
	$(NEURAL)/bin/python -m pip install --quiet $(call PINNED,neural) --editable '.[neural]'
	@touch $@

neural: $(NEURAL)/.neural  ## tests with a real small model, in an environment of their own
	OMP_NUM_THREADS=1 $(NEURAL)/bin/python -m pytest -n $(PYTEST_WORKERS) tests/neural

check: $(VENV)/.check  ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

lock: $(VENV)/.check $(NEURAL)/.neural  ## what both environments hold now is what they hold from now on
	$(BIN)/python -m pip freeze --exclude-editable > .ci/core.lock
	$(NEURAL)/bin/python -m pip freeze --exclude-editable | grep -v '^torch[ =]' > .ci/neural.lock
	@touch $^

interop: $(VENV)/.check  ## other harnesses and trackers for real: makes their environments, several GB
	PYTHON=$(PYTHON) PINS=$(strip $(PINS)) sh tests/interop/environments.sh
	$(BIN)/python -m pytest tests/interop -m interop

lock-interop:  ## the same as lock, of the environments that interop made
	for each in .venv-interop/*; do \
	  $$each/bin/python -m pip freeze --exclude-editable | grep -v '^torch[ =]' > .ci/interop/$${each##*/}.lock; \
	done

bench: $(VENV)/.check  ## medians and ratios; prints a table, writes benchmarks/out
	$(BIN)/python -m benchmarks

format: $(VENV)/.check
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf build dist src/*.egg-info runs benchmarks/out
