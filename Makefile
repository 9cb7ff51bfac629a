# Every target is a line or two one could type. The first one makes .venv and installs; a later
# one installs nothing unless pyproject.toml, CMakeLists.txt or a C++ file has changed.
PYTHON ?= python3
BIN := .venv/bin
CPP := $(shell find src/core src/bind -type f -name '*.?pp')
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo check test test-core fuzz bench build dev docs goldens lint sanitize sanitize-fuzz \
    signatures stubs wheel clean

demo: build
	$(BIN)/python -m inforest.demo

# Everything.
test: test-core dev
	$(BIN)/python -m pytest -n auto $(ARGS)

# The quick tier: what a change of any line may break, unless it is marked slow. Calibration,
# agreement with others, scikit-learn's checks, reports, command line and study wait for `test`.
check: test-core dev
	$(BIN)/python -m pytest -n auto -m "not slow" $(ARGS) \
	    tests/unit tests/property $(wildcard tests/test_*.py)

# Strange inputs and parameters, damaged and forged files, killed runners: some minutes, and always
# the same ones. INFOREST_FUZZ_SEED=1000 tries others, INFOREST_FUZZ=20000 more of them.
FUZZ := tests/fuzz tests/study/test_kills.py tests/study/test_store.py tests/unit/test_dask.py
FUZZ_ROUNDS := INFOREST_FUZZ=$${INFOREST_FUZZ:-400}

fuzz: dev
	$(FUZZ_ROUNDS) $(BIN)/python -X faulthandler -m pytest -n auto $(ARGS) $(FUZZ)

# Speed as ratios measured in one run; each script fails when it is beyond its limits.
bench: dev
	$(BIN)/python benchmarks/independence.py
	$(BIN)/python benchmarks/growth.py $(ARGS)
	$(BIN)/python benchmarks/speed.py $(ARGS)
	$(BIN)/python benchmarks/mixed_cost.py

# The site, in build/docs/html; warnings and broken links are errors, and nothing is downloaded.
docs: build .venv/docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs/html
	$(BIN)/python docs/scripts/links.py build/docs/html

build: .venv/installed

dev: build .venv/dev

lint: dev
	$(BIN)/pre-commit run --all-files --show-diff-on-failure

# C++ tests of the core: as users get it, under AddressSanitizer and UBSan, under ThreadSanitizer.
# Each has a build folder of its own, in which only changed files are compiled again.
CORE_TESTS := $(BIN)/cmake -G Ninja -S . --log-level=WARNING -DINFOREST_TESTS=ON -DINFOREST_MODULE=OFF \
    -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja

test-core: .venv/tools
	$(CORE_TESTS) -B build/core -DCMAKE_BUILD_TYPE=Release
	$(BIN)/cmake --build build/core
	build/core/inforest_tests

sanitize: sanitize-address,undefined sanitize-thread

# With -O3 this would take several times as long to compile.
SANITIZED := -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1"

sanitize-%: .venv/tools
	$(CORE_TESTS) -B build/sanitize/$* -DINFOREST_SANITIZE=$* $(SANITIZED)
	$(BIN)/cmake --build build/sanitize/$*
	build/sanitize/$*/inforest_tests

# `make fuzz` with the module under AddressSanitizer and UBSan; TESTS="tests/unit" runs others. The
# Python is the one that .venv was made from: in .venv the editable installation would come first.
# Plugins of pytest that this Python may have are left out.
# A report of a sanitizer ends the process, and so the test.
ADDRESS := build/sanitize/address,undefined
SANITIZERS = $(foreach name,asan ubsan stdc++,$(shell $(CXX) -print-file-name=lib$(name).so))
LIBRARIES = $(shell $(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")
TESTS := $(FUZZ)
WATCHED = LD_PRELOAD="$(SANITIZERS)" ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
    UBSAN_OPTIONS=print_stacktrace=1 PYTHONPATH=$(CURDIR)/build/sanitize/python:$(LIBRARIES) \
    PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTEST_PLUGINS=xdist.plugin \
    $(FUZZ_ROUNDS) $(PYTHON) -X faulthandler

sanitize-fuzz: dev
	$(CORE_TESTS) -B $(ADDRESS) -DINFOREST_SANITIZE=address,undefined $(SANITIZED) \
	    -DINFOREST_MODULE=ON -DINFOREST_TESTING=ON -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python
	$(BIN)/cmake --build $(ADDRESS)
	$(BIN)/cmake --install $(ADDRESS) --component python --prefix build/sanitize/python
	cp -R src/inforest* build/sanitize/python
	$(WATCHED) -c "from inforest._core import __file__ as used; assert 'sanitize' in used, used"
	$(WATCHED) -m pytest -n auto $(ARGS) $(TESTS)

# What tests/agreement compares with, from R with partykit and coin; data sets from INFOREST_DATA
# and INFOREST_DATA_MORE. Some minutes, most of them for forests and tables with categories.
goldens: dev
	cd tests/agreement && Rscript make_golden.R
	Rscript tests/agreement/make_several.R
	Rscript tests/agreement/make_several_kinds.R
	for what in goldens factors responses_golden cforest mixed; do \
	    $(BIN)/python tests/agreement/make_$$what.py || exit 1; done

# The signatures of trees and forests, from the table of parameters.
signatures: dev
	$(BIN)/python tools/signatures.py

stubs: dev
	$(BIN)/python -m nanobind.stubgen -m inforest._core -o src/inforest/_core.pyi

wheel: .venv/tools
	$(BIN)/pip wheel -qq --no-build-isolation --no-deps -C cmake.define.INFOREST_TESTING=OFF -w dist .

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -exec rm -rf {} +

.venv/tools:
	@echo "Making .venv"
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -qq scikit-build-core nanobind cmake ninja
	@touch $@

# Editable: changes of Python files are seen at once. No isolation: the build directory stays
# valid, and only changed C++ files are compiled again.
INSTALL := $(BIN)/pip install -qq --no-build-isolation -C cmake.define.INFOREST_TESTING=ON -e
.venv/installed: pyproject.toml CMakeLists.txt $(CPP) | .venv/tools
	@echo "Building and installing inforest (a minute or two the first time, seconds later)"
	$(INSTALL) .
	@touch $@

# What the site needs on top.
.venv/docs: pyproject.toml | .venv/installed
	@echo "Installing Sphinx"
	$(INSTALL) '.[docs]'
	@touch $@

# What tests, linters and benchmarks need on top.
.venv/dev: pyproject.toml | .venv/installed
	@echo "Installing the development tools (a minute or two)"
	$(INSTALL) '.[dev]'
	@touch $@
