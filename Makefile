# `make demo` and `make test` need only Python, pip, make and a C++ compiler; everything else comes from pip.
PYTHON ?= python3
VENV ?= .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip install --quiet --disable-pip-version-check
REQUIREMENTS := import sys, tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	print("\n".join(project["dependencies"] + project["optional-dependencies"][sys.argv[1]]))
PYTEST := $(RUN) -m pytest --numprocesses auto --dist worksteal
CPP := $(shell find cpp release -name "*.cpp" -o -name "*.hpp" -o -name "*.c" -o -name "*.h")
SOURCES := pyproject.toml CMakeLists.txt $(shell find cpp src -type f -not -name '*.pyc')

.PHONY: demo test test-all tests all-tests clients lint types format stub docs figures clean \
	bench bench-census bench-calls bench-avx2 bench-mnist bench-covertype bench-tuning bench-probability bench-sparse \
	bench-fingerprints bench-kernels bench-structures bench-scaling bench-bars bench-cluster bench-tables reproduce compare \
	fuzz sanitize tsan coverage mutants aarch64 free-threaded sdist wheels bare windows windows-tests macos oldest newest

demo: $(VENV)/.demo  ## train on handwritten digits and compare the structures with scikit-learn
	$(RUN) examples/digits.py

test: $(VENV)/.test  ## lint, types, tests: side by side, as each leaves cores idle
	@$(MAKE) --no-print-directory -j 3 lint types tests

test-all: $(VENV)/.test  ## the long tests too
	@$(MAKE) --no-print-directory -j 3 lint types all-tests

tests: $(VENV)/.test
	$(PYTEST)

all-tests: $(VENV)/.test
	$(PYTEST) -m "not clients"

clients: $(VENV)/.clients  ## libraries that take classifiers, each with ours and with scikit-learn's; installs them
	$(PYTEST) -m clients tests/clients

lint: $(VENV)/.test
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(VENV)/bin/clang-format --dry-run -Werror $(CPP)

types: $(VENV)/.test
	$(RUN) -m mypy

bench: $(VENV)/.bench  ## against scikit-learn, scikit-learn-intelex and LIBSVM; data from DAGMAR_DATA, else OpenML
	$(RUN) -m experiments bench peers

bench-census: $(VENV)/.bench  ## many sets of every kind, large and small, against all peers: means and the worst
	$(RUN) -m experiments bench census

bench-calls: $(VENV)/.bench  ## kinds of call (kernels, probabilities, two classes, one row, ...) against all peers
	$(RUN) -m experiments bench calls

# What README and docs/benchmarks.md show without AVX-512. Other libraries use all that the processor has.
AVX2 := experiments/benchmarks/results/avx2
bench-avx2: $(VENV)/.bench  ## bench, bench-census and bench-calls once more, with AVX2 only
	DAGMAR_SIMD=avx2 $(RUN) -m experiments bench peers --out $(AVX2)
	DAGMAR_SIMD=avx2 $(RUN) -m experiments bench census --out $(AVX2)
	DAGMAR_SIMD=avx2 $(RUN) -m experiments bench calls --out $(AVX2)

bench-mnist: $(VENV)/.bench  ## MNIST with all its 60,000 rows, against scikit-learn-intelex
	$(RUN) -m experiments bench mnist

bench-covertype: $(VENV)/.bench  ## Covertype at 25,000 to 100,000 rows, against scikit-learn-intelex
	$(RUN) -m experiments bench covertype

bench-tuning: $(VENV)/.bench  ## SVCCV against GridSearchCV on Letter
	$(RUN) -m experiments bench tuning

bench-probability: $(VENV)/.bench  ## probabilities of SVC and of CalibratedClassifierCV
	$(RUN) -m experiments bench probability

bench-sparse: $(VENV)/.bench  ## text-like sparse rows, made from a seed; memory too
	$(RUN) -m experiments bench sparse

bench-kernels: $(VENV)/.bench  ## the Laplacian kernel on all data sets, against scikit-learn's
	$(RUN) -m experiments bench kernels

bench-fingerprints: $(VENV)/.bench  ## the Tanimoto kernel on fingerprints, made from a seed; memory too
	$(RUN) -m experiments bench fingerprints

bench-scaling: $(VENV)/.bench  ## growth with rows and classes, for hours; resumes; writes docs/scaling.md and its pictures
	$(RUN) -m experiments bench scaling

bench-structures: $(VENV)/.bench  ## every structure on Letter, and soft labels; writes docs/structures.md
	$(RUN) -m experiments bench structures

bench-bars: $(VENV)/.bench  ## the results of bench and bench-census as bars: docs/pictures/benchmark-bars.png
	$(RUN) -m experiments bench bars

bench-cluster: $(VENV)/.test  ## fits on one and two Dask workers of this machine against the model, and a simulation of large clusters
	$(RUN) -m experiments.cluster.measure
	$(RUN) -m experiments.cluster.pictures

# `make reproduce` is the run that docs/reproduction.md shows: two seeds side by side, with one thread each.
# `make reproduce PAPER=platt1999 QUICK=1` is a short run of one paper, into reproduction-quick. OUT, SEED, THREADS, SEARCH=1
# and FRESH=1 are the options of `python -m experiments reproduce`.
PAPER ?= all
OPTIONS = $(if $(QUICK),--quick) $(if $(SEARCH),--search) $(if $(FRESH),--fresh) \
	$(if $(OUT),--out $(OUT)) $(if $(SEED),--seed $(SEED)) $(if $(THREADS),--threads $(THREADS))

ifeq ($(PAPER)$(QUICK),all)
reproduce reproduce-seed0 reproduce-seed1: OUT ?= docs/reproduction
reproduce: $(VENV)/.reproduce
	@$(MAKE) --no-print-directory -j 2 reproduce-seed0 reproduce-seed1
	$(RUN) -m experiments reproduce all --document --out $(OUT)

reproduce-seed%: $(VENV)/.reproduce
	$(RUN) -m experiments reproduce all --records --seed $* --threads 1 --search --out $(OUT) $(if $(FRESH),--fresh)
else
reproduce: $(VENV)/.reproduce  ## the published experiments, run again; data from DAGMAR_DATA, else OpenML; resumes
	$(RUN) -m experiments reproduce $(PAPER) $(OPTIONS)
endif

# `make compare` is the run that docs/choosing.md shows: hours, but it continues where it was stopped, also after a part with
# `python -m experiments compare --config docs/choosing/run.toml --minutes 60`.
compare: $(VENV)/.compare  ## schemes against each other and against what people would use instead; writes docs/choosing.md
	$(RUN) -m experiments compare --config docs/choosing/run.toml

bench-tables: $(VENV)/.compare  ## SVCCV(search="auto") against forests and boosting, for hours; resumes; writes docs/tables.md
	$(RUN) -m experiments compare --config docs/tables/run.toml

figures: $(VENV)/.test  ## write the figures of the results into README, pages and the picture of bars; measures nothing
	$(RUN) -m experiments bench scaling --document
	$(RUN) -m experiments bench bars
	$(RUN) -m experiments.benchmarks.quotes

docs: $(VENV)/.docs  ## the site of the documentation: build/docs/html/index.html
	$(RUN) -m experiments.site

# Fuzzing: `make fuzz MINUTES=10 SEED=1 KIND=fits COUNT=5000`. Failures are written to fuzzing/found.
MINUTES ?= 1
fuzz: $(VENV)/.test  ## random fits, damaged models and files, in child processes
	$(RUN) -m fuzzing --minutes $(MINUTES) $(if $(SEED),--seed $(SEED)) $(if $(KIND),--kind $(KIND)) $(if $(COUNT),--count $(COUNT))

# Builds with sanitizers have virtual environments of their own. Python is not built with the sanitizer, so its library
# must be loaded first; Python itself leaks by design, so leaks are not looked for.
SANITIZED_TESTS = tests/core tests/machines/test_bank.py tests/structures tests/robustness/test_truth.py \
	tests/robustness/test_properties.py
ASAN = DAGMAR_SANITIZED=1 DAGMAR_SLOWER=10 LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
TSAN = LD_PRELOAD="$$(g++ -print-file-name=libtsan.so)" TSAN_OPTIONS=exitcode=66:halt_on_error=1 OPENBLAS_NUM_THREADS=1

sanitize: $(VENV)-asan/.built  ## tests and a minute of fuzzing with the address and undefined-behaviour sanitizers
	$(ASAN) $(VENV)-asan/bin/python -P -m pytest -q -p no:cacheprovider $(SANITIZED_TESTS)
	$(ASAN) $(VENV)-asan/bin/python -m fuzzing --minutes $(MINUTES) --seed 1 --limit 60

tsan: $(VENV)-tsan/.built  ## many threads with the thread sanitizer, which must also find a race that is there on purpose
	$(TSAN) $(VENV)-tsan/bin/python -P fuzzing/threads.py race; test $$? -eq 66  # the exit code of a race, not of an error
	$(TSAN) $(VENV)-tsan/bin/python -P fuzzing/threads.py

# Lines that run in other processes than those of the tests are not counted.
COVERAGE_TESTS ?= tests
coverage: $(VENV)-coverage/.built  ## which lines of Python and C++ the tests reach: build/coverage
	find build/DAGMAR_COVERAGE -name '*.gcda' -delete
	mkdir -p build/coverage
	DAGMAR_SLOWER=10 $(VENV)-coverage/bin/python -P -m pytest -q -p no:cacheprovider --numprocesses auto --dist worksteal \
		--cov=dagmar --cov-report=html:build/coverage/python --cov-report=term:skip-covered $(COVERAGE_TESTS)
	$(VENV)-coverage/bin/gcovr --root . --filter cpp/ --html-details build/coverage/cpp.html --print-summary build/DAGMAR_COVERAGE

mutants: $(VENV)/.test  ## plants faults in a copy of the core; every one must be caught by a test
	$(PIP) cmake ninja nanobind
	$(RUN) -m fuzzing.mutants

$(VENV)-asan/.built: OPTION = DAGMAR_SANITIZE
$(VENV)-tsan/.built: OPTION = DAGMAR_TSAN
$(VENV)-coverage/.built: OPTION = DAGMAR_COVERAGE
$(VENV)-coverage/.built: PACKAGES = pytest-cov gcovr
$(VENV)-asan/.built $(VENV)-tsan/.built $(VENV)-coverage/.built: $(SOURCES)
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check '.[test]' $(PACKAGES) -C cmake.define.$(OPTION)=ON \
		-C build-dir=build/$(OPTION)
	@touch $@

# The core for aarch64, compiled here and tested under emulation. It needs Debian 12 with the packages mmdebstrap,
# qemu-user-static and g++-aarch64-linux-gnu, and Python 3.11: the emulated Python is Debian's, of the same version. Tests
# that start other processes are left out, because the emulator is called by name.
ARM := $(CURDIR)/build/aarch64
ARM_PYTHON := qemu-aarch64-static -L $(ARM)/sysroot $(ARM)/sysroot/usr/bin/python3.11
ARM_TESTS = tests/core tests/structures tests/robustness/test_truth.py tests/machines/test_bank.py \
	tests/interop/test_libsvm_format.py tests/estimators/test_model.py
ARM_CMAKE = -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
	-DPython_EXECUTABLE=$(abspath $(RUN)) -DPython_INCLUDE_DIR=$(ARM)/sysroot/usr/include/python3.11 \
	-DCMAKE_CXX_FLAGS="-idirafter $(ARM)/sysroot/usr/include"

aarch64: $(ARM)/.sysroot $(ARM)/.packages $(VENV)/.test  ## the core for aarch64, tested under emulation for a quarter of an hour
	$(PIP) cmake ninja
	PATH="$(abspath $(VENV))/bin:$$PATH" cmake -G Ninja -S . -B $(ARM)/core $(ARM_CMAKE) \
		-Dnanobind_DIR="$$($(RUN) -m nanobind --cmake_dir)"
	$(VENV)/bin/cmake --build $(ARM)/core
	rm -rf $(ARM)/src && mkdir $(ARM)/src && cp -r src/dagmar $(ARM)/src
	cp $(ARM)/core/_core*.so $(ARM)/src/dagmar/_core.so
	cp -r $(VENV)/lib/python3.11/site-packages/dagmar-*.dist-info $(ARM)/src  # pickles carry the version
	DAGMAR_SLOWER=30 PYTHONPATH=$(ARM)/src:$(ARM)/packages \
		$(ARM_PYTHON) -P -m pytest -q -p no:cacheprovider $(ARM_TESTS)

$(ARM)/.sysroot:
	rm -rf $(ARM)/sysroot && mkdir -p $(ARM)
	mmdebstrap --variant=extract --architectures=arm64 --include=python3,python3-dev,libstdc++6,libgomp1 bookworm $(ARM)/sysroot
	@touch $@

$(ARM)/.packages: pyproject.toml | $(VENV)/bin/python
	@mkdir -p $(ARM)
	$(RUN) -c '$(REQUIREMENTS)' test | grep -E '^(numpy|scipy|scikit-learn|joblib|threadpoolctl|pytest>|hypothesis|pandas)' \
		> $(ARM)/packages.txt
	$(PIP) --upgrade --no-compile --target $(ARM)/packages --only-binary=:all: --python-version 3.11 --implementation cp \
		$(foreach glibc,2_28 2_27 2_17,--platform manylinux_$(glibc)_aarch64) --platform manylinux2014_aarch64 \
		-r $(ARM)/packages.txt
	@touch $@

# Python without its interpreter lock, for example as `uv python install 3.13t` gives it: FREE_PYTHON is its command.
FREE_PYTHON ?= python3.13t
FREE_TESTS = tests/robustness/test_load.py tests/core tests/structures/test_walks.py

free-threaded: $(VENV)-free/.built  ## threads in a Python without the interpreter lock
	$(VENV)-free/bin/python -P -W error fuzzing/threads.py
	$(VENV)-free/bin/python -P -m pytest -q -p no:cacheprovider $(FREE_TESTS)

$(VENV)-free/.built: $(SOURCES)
	$(FREE_PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check . pytest hypothesis pandas
	@touch $@

# Releases: release/ has a script for each. PYTHONS are commands of the Pythons that wheels are made for; zig and all else comes from
# pip. `make bare` also needs Debian's mmdebstrap, and `make windows` its wine.
PYTHONS ?= python3.11 python3.12
OLDEST_PYTHON ?= python3.11
NEWEST_PYTHONS ?= python3.12 python3.13
WINDOWS_PYTHON ?= python3.12
PACKAGE ?= .

sdist:  ## the source archive, from which a wheel is compiled and tried
	$(PYTHON) -m release.source

wheels:  ## wheels for Linux, x86-64 and aarch64: compiled, checked, tried; into dist
	$(PYTHON) -m release.wheels $(PYTHONS)

bare:  ## the wheels in Debian systems without a compiler
	$(PYTHON) -m release.bare

windows: $(VENV)/.test  ## a wheel for Windows, compiled here and tested under Wine
	$(RUN) -m release.windows $(WINDOWS_PYTHON)
	@$(MAKE) --no-print-directory windows-tests

WINDOWS_MINUTES ?= 120
windows-tests: $(VENV)/.test  ## goes on with the tests under Wine where the last run stopped; WINDOWS_TESTS names some
	$(RUN) -m release.windows_tests --minutes $(WINDOWS_MINUTES) $(WINDOWS_TESTS)

macos:  ## whether the core can be compiled for macOS
	$(PYTHON) -m release.macos $(WINDOWS_PYTHON)

oldest:  ## tests with the oldest dependencies that pyproject.toml allows; PACKAGE may be a wheel
	$(PYTHON) -m release.versions --oldest --package $(PACKAGE) $(OLDEST_PYTHON)

newest:  ## tests with the newest dependencies on other Pythons
	$(PYTHON) -m release.versions --package $(PACKAGE) $(NEWEST_PYTHONS)

format: $(VENV)/.test
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .
	$(VENV)/bin/clang-format -i $(CPP)

stub: $(VENV)/.test  ## write src/dagmar/_core.pyi from the built module, and __init__.pyi from the public names
	$(RUN) cpp/stub.py
	$(RUN) src/stub.py

clean:
	rm -rf $(VENV) $(VENV)-asan $(VENV)-tsan $(VENV)-coverage $(VENV)-free build dist

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
