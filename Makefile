# make run        start the app on the demo dataset (or: make run DATA=DIR PORT=8502)
# make test       everything the tests need, ruff and mypy, then all tests but the slow ones
# make test-slow  the tests that take minutes: simulations of the intervals, long abuse
# make demo       build the demo dataset again
# make lint       ruff and mypy
# make clean      remove the virtual environment and the caches; datasets stay

PYTHON ?= python3
DATA ?= data
PORT ?= 8501
TESTS ?=

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check
MAKEFLAGS += --no-print-directory

.PHONY: run demo test test-slow lint chromium clean

run: $(VENV)/.installed
ifeq ($(DATA),data)
	@$(MAKE) data/demo.duckdb
endif
	@echo "ReasonScape Explorer: http://127.0.0.1:$(PORT)  (Ctrl-C stops it)"
	@$(PY) -m streamlit run app.py --server.port "$(PORT)" -- --data "$(DATA)"

demo: $(VENV)/.installed
	@rm -f data/demo.duckdb
	@$(MAKE) data/demo.duckdb

# Built when absent, and again when the records or the database's schema are newer.
data/demo.duckdb: data/demo/completions.jsonl.gz core/store/schema.py | data/demo.json $(VENV)/.installed
	@echo "Building the demo dataset"
	@$(PY) -m core import data/demo/completions.jsonl.gz --name demo --data data --rebuild

# The demo's config is prepared by hand; the copy is the user's to edit and is never overwritten.
data/demo.json:
	@cp data/demo/demo.json $@

test: $(VENV)/.installed-dev chromium
	@$(MAKE) lint
	@$(PY) -m pytest -q -n auto --dist loadfile $(TESTS)

test-slow: $(VENV)/.installed-dev chromium
	@$(PY) -m pytest -q -n auto --dist loadfile -m slow $(TESTS)

lint: $(VENV)/.installed-dev
	@$(PY) -m ruff check .
	@$(PY) -m mypy

$(VENV)/.installed: requirements.txt | $(PY)
	@echo "Installing requirements (a minute or two, only when they change)"
	@$(PIP) -r requirements.txt
	@touch $@

$(VENV)/.installed-dev: requirements.txt requirements-dev.txt requirements-reasoning-gym.txt requirements-inspect.txt | $(PY)
	@echo "Installing requirements for the tests (a minute or two, only when they change)"
	@$(PIP) -r requirements-dev.txt
	@touch $(VENV)/.installed $@

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) \
		|| { rm -rf $(VENV); echo "No virtual environment: install python3-venv, or give PYTHON=..." >&2; exit 1; }

# The browser tests find Chromium on the PATH; without it they skip and say so.
chromium:
	@command -v chromium chromium-browser google-chrome >/dev/null 2>&1 || .ci/install-chromium

clean:
	@rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find core pages tests -name __pycache__ -prune -exec rm -rf {} +
