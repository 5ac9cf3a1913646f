# `make demo` and `make test` need only Python, pip, make and a C++ compiler; everything else comes from pip.
PYTHON ?= python3
VENV ?= .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip install --quiet --disable-pip-version-check
REQUIREMENTS := import sys, tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	print("\n".join(project["dependencies"] + project["optional-dependencies"][sys.argv[1]]))
PYTEST := $(RUN) -m pytest --numprocesses auto --dist worksteal
SOURCES := pyproject.toml CMakeLists.txt $(shell find cpp src -type f -not -name '*.pyc')

.PHONY: demo test test-all tests all-tests lint types bench bench-mnist bench-tuning bench-sparse bench-scaling reproduce format clean

demo: $(VENV)/.demo  ## train on handwritten digits and compare the structures with scikit-learn
	$(RUN) examples/digits.py

test: $(VENV)/.test  ## lint, types, tests: side by side, as each leaves cores idle
	@$(MAKE) --no-print-directory -j 3 lint types tests

test-all: $(VENV)/.test  ## the long tests too
	@$(MAKE) --no-print-directory -j 3 lint types all-tests

tests: $(VENV)/.test
	$(PYTEST)

all-tests: $(VENV)/.test
	$(PYTEST) -m "slow or not slow"

lint: $(VENV)/.test
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

types: $(VENV)/.test
	$(RUN) -m mypy

bench: $(VENV)/.bench  ## against scikit-learn, scikit-learn-intelex and LIBSVM; data from DAGMAR_DATA, else OpenML
	$(RUN) -m experiments.benchmarks

bench-mnist: $(VENV)/.bench  ## MNIST with all its 60,000 rows, against scikit-learn-intelex
	$(RUN) -m experiments.benchmarks.mnist

bench-tuning: $(VENV)/.bench  ## SVCCV against GridSearchCV on Letter
	$(RUN) -m experiments.benchmarks.tuning

bench-sparse: $(VENV)/.bench  ## text-like sparse rows, made from a seed; memory too
	$(RUN) -m experiments.benchmarks.sparse

bench-scaling: $(VENV)/.bench  ## growth with rows and classes, for hours; resumes; writes docs/scaling.md and its pictures
	$(RUN) -m experiments.benchmarks.scaling

reproduce: $(VENV)/.reproduce  ## the published experiments, run again; data from DAGMAR_DATA; resumes; writes docs/reproduction.md
	$(RUN) -m experiments reproduce all --search --out docs/reproduction

format: $(VENV)/.test
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

clean:
	rm -rf $(VENV) build dist

# A stamp per set of extras: a second run finds it newer than the sources and installs nothing. Packages are unpacked by one
# core while the others compile ours.
$(VENV)/.%: $(SOURCES) | $(VENV)/bin/python
	@rm -rf $(VENV)/wheel
	@$(RUN) -c '$(REQUIREMENTS)' $* > $(VENV)/$*.txt
	$(RUN) -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(VENV)/wheel . & wheel=$$!; \
	$(PIP) -r $(VENV)/$*.txt; installed=$$?; wait $$wheel && exit $$installed
	$(PIP) --no-deps --force-reinstall $(VENV)/wheel/*.whl
	@touch $@

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
