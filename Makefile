# `make run`: the tutor in the browser, from nothing but Python >= 3.11. `make test`: everything, tested.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: run test check prove docs setup setup-dev models browser clean

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("Preceptor needs Python >= 3.11, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group dev --editable '.[postgres,local]'
	@touch $@

setup: $(VENV)/.installed
setup-dev: $(VENV)/.installed-dev

models: setup
	-@$(BIN)/preceptor model fetch all-minilm-l6-v2-int8

run: setup models
	$(BIN)/preceptor serve

browser:
	@sh tests/e2e/install_browser.sh

test: setup-dev models browser
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile tests/unit tests/contract
	$(BIN)/python -m pytest tests/e2e

check: setup-dev
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/unit/test_docs.py tests/unit/test_cli_reference.py tests/unit/test_imports.py

docs: setup
	$(BIN)/python -m preceptor.cli.reference > docs/cli.md

prove: setup-dev models browser
	$(BIN)/python -m pytest -m prove -s

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
