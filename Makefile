# Maskwise: everything a newcomer needs is `make run` and `make test`.
#
# TORCH_INDEX  take torch from this index instead of the default one, for example PyTorch's own
#              index of CPU builds (the README gives its address). Empty: the default index.
# PYTHON       the Python to build the environment with (3.11 or newer).
# DATA         where the demo course and the proofs are kept.
PYTHON ?= python3
TORCH_INDEX ?=
VENV ?= .venv
DATA ?= data
OUT ?= out
PORT ?= 8000
SEED ?= 12

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
TORCH_FLAGS := $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX))

.DEFAULT_GOAL := help
.PHONY: help run test drill lint bench clean

help: ## show this list
	@grep -hE '^[a-z]+:.*##' Makefile | sed 's/:.*## /\t/' | expand -t 10

# torch first and alone, so that a chosen index serves it and nothing else.
$(VENV)/.run: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Maskwise needs Python 3.11 or newer; this is " + sys.version.split()[0])'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Setting up $(VENV): PyTorch first, which can take minutes to download."
	$(PIP) install -U "pip>=25.1"
	$(PIP) install -c constraints.txt $(TORCH_FLAGS) torch
	@echo "Now the other packages."
	$(PIP) install -c constraints.txt -e .
	touch $@

$(VENV)/.dev: $(VENV)/.run
	$(PIP) install -c constraints.txt --group dev
	touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(PIP) install -c constraints.txt --group bench
	touch $@

run: $(VENV)/.run ## set up, write the first problem set, serve the demo course
	@test -e $(OUT)/lesson-12.pdf || $(BIN)/maskwise --data-dir $(DATA) generate lesson-12 --seed $(SEED) -f pdf,moodle -o $(OUT)
	@echo "Problem set: $(OUT)/lesson-12.pdf   key: $(OUT)/lesson-12-key.pdf   Moodle: $(OUT)/lesson-12.moodle.xml"
	@exec $(BIN)/maskwise --data-dir $(DATA) serve --demo --port $(PORT)

test: $(VENV)/.dev ## set up, run all tests
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not drill" $(ARGS)

drill: $(VENV)/.dev ## long runs: kills, races, load; minutes, not seconds
	$(BIN)/python -m pytest -m drill -s $(ARGS)

lint: $(VENV)/.dev ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.bench ## the table of bench/README.md, measured here
	$(BIN)/python bench/table.py $(ARGS)

clean: ## forget the environment and what was generated (keeps the data folder)
	rm -rf $(VENV) $(OUT)
