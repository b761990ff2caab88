# Every target uses the environment in VENV; `make setup` makes it.
VENV ?= .venv
PY := $(VENV)/bin/python

.PHONY: setup check lint types imports test docs demo-score golden lock

setup:
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install -e ".[dev]"

check: lint types imports test docs

lint:
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .

types:
	$(PY) -m mypy
	$(PY) -m pyright

imports:
	$(VENV)/bin/lint-imports

test:
	$(PY) -m pytest -n auto --dist loadfile

docs:
	$(PY) -m mkdocs build --strict --quiet --site-dir build/site

# The 40 questions of the example world: right, wrong, abstained. With BOXKIT_GGUF set, a local model too.
demo-score:
	$(PY) benchmarks/demo_score.py

# Rewrite the golden prompts, pages and programs; review them as a diff.
golden:
	$(PY) -m pytest tests/prompts tests/test_docs.py tests/cli/test_docs.py tests/memory/transpile --rewrite-golden

# Write requirements/lock.txt anew.
lock:
	$(PY) requirements/lock.py
