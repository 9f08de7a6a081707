# Turnscope. `make` alone prints what there is. Everything is installed into .venv; nothing else is touched.

SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help run test prove check format bench precision peers screenshots browser matrix clean

PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin

# Whole files of tests at once, on as many cores as there are. Not against one Redis, where they would hear each other.
SIDE_BY_SIDE := -n auto --maxprocesses 4 --dist loadfile

help: ## Print this list
	@echo "Turnscope: every agent turn as it happens, why it stopped, and the turn handed back clean."
	@echo
	@grep -hE '^[a-z]+:.*## ' Makefile | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 16
	@echo
	@echo "PORT=8001 chooses another port, PYTHON=python3.12 another Python (3.11 or newer)."

run: $(VENV)/run.stamp ## Install what is needed, and serve the demo on http://127.0.0.1:8000
	@TURNSCOPE_HOME="$${TURNSCOPE_HOME:-$(CURDIR)/var}" exec $(BIN)/turnscope serve --demo --port $(PORT)

test: $(VENV)/test.stamp check browser ## Lint, types, and every quick test, in a real browser too
	$(BIN)/python -m pytest $(SIDE_BY_SIDE)

prove: $(VENV)/test.stamp ## The slow proofs: fuzzing, vendors' own validators, faults, the wheel, PostgreSQL, Python 3.13
	$(BIN)/python -m pytest -m prove
	@echo "The quick tests again that keep something, on PostgreSQL and Redis:"
	$(BIN)/python -m tests.services $(BIN)/python -m pytest -q -m "not prove and not browser" --ignore tests/core
	@$(MAKE) --no-print-directory matrix

check: $(VENV)/test.stamp ## Format, lint and types of Python, lint of JavaScript
	@$(BIN)/ruff format --check --quiet . || { echo "\`make format\` mends this."; exit 1; }
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/oxlint --quiet static bench tests

format: $(VENV)/test.stamp ## Format Python, and mend what the linter can
	$(BIN)/ruff check --quiet --fix .
	$(BIN)/ruff format .

bench: $(VENV)/test.stamp ## Measure, and print ratios
	$(BIN)/python -m bench

precision: $(VENV)/test.stamp ## Count the errors found on the corpus: right, false, missed
	@$(BIN)/python -m tests.precision

peers: $(VENV)/test.stamp ## Count Turnscope's repairs beside others', into docs/peers.md
	$(BIN)/python -m docs.peers

screenshots: $(VENV)/test.stamp browser ## Take the pictures of the README anew, from the demo
	$(BIN)/python -m docs.screenshots

browser: $(VENV)/test.stamp ## Find a Chromium for the browser tests, or install one
	@$(BIN)/python -m tests.chromium

# The newest Python and Django that are claimed to work, where that Python is there.
NEWEST := python3.13
FOUND = $(firstword $(foreach p,$(NEWEST) $(wildcard $(HOME)/.pyenv/versions/3.13*/bin/$(NEWEST)),\
	$(shell $(p) -c 'print("$(p)")' 2>/dev/null)))

matrix: ## The quick tests on Python 3.13 with Django 6.1
	@if [ -z "$(FOUND)" ]; then echo "There is no $(NEWEST) here: not tested on it."; else \
	  set -e; \
	  echo "The quick tests again, on Python 3.13 and Django 6.1:"; \
	  [ -x .venvs/py313/bin/python ] || $(FOUND) -m venv .venvs/py313; \
	  .venvs/py313/bin/pip install -qq -e '.[test]' 'django>=6.1'; \
	  .venvs/py313/bin/python -m pytest -q $(SIDE_BY_SIDE) -m "not prove and not browser" -p no:cacheprovider; \
	fi

clean: ## Remove what was installed and built (data in var/ stays)
	rm -rf $(VENV) .venvs build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

# ---------------------------------------------------------------- installing, once per change of pyproject.toml

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo \
	  "Turnscope needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Name another: make run PYTHON=python3.12"; \
	  exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo \
	  "Python's venv module is missing. Install it, for example: apt install python3-venv"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: pyproject.toml | $(VENV)/bin/python
	@echo "Installing Turnscope into $(VENV), once. It takes a minute or two."
	@$(BIN)/pip install -qq -e '.[client]'
	@touch $@

$(VENV)/test.stamp: pyproject.toml | $(VENV)/bin/python
	@echo "Installing Turnscope and its test tools into $(VENV), once. It takes a minute or two."
	@$(BIN)/pip install -qq -e '.[test]'
	@touch $@ $(VENV)/run.stamp
