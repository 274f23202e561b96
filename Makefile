# `make help` lists what there is. Everything runs in .venv, which `make setup` makes and refreshes.
.DEFAULT_GOAL := help
.PHONY: help setup demo test lint format types bench fuzz gpu docs clean distclean

BIN := .venv/bin
PYTHON_IN_VENV := $(BIN)/python
COUNT ?= 5000
SEED ?= 0

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.venv/.stamp: pyproject.toml tools/setup.sh tools/install_pip.py
	@sh tools/setup.sh

setup: .venv/.stamp  ## Make .venv with the checker and its development tools

demo: setup  ## Run the examples on the CPU, check them for four GPUs, explain one finding
	@$(PYTHON_IN_VENV) tools/demo.py

test: lint types  ## Lint, check types and run the tests
	@$(PYTHON_IN_VENV) -m pytest

lint: setup  ## Check style and formatting
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet || { echo "run 'make format'"; exit 1; }

types: setup  ## Check types: strict for the packages
	@$(BIN)/pyright

format: setup  ## Format the code and apply the safe fixes of the linter
	@$(BIN)/ruff check --fix --quiet
	@$(BIN)/ruff format --quiet

bench: setup  ## Measure the checker beside ruff, ty and basedpyright
	@$(PYTHON_IN_VENV) benchmarks/run.py

fuzz: setup  ## Check mutated inputs: make fuzz COUNT=5000 SEED=0
	@$(PYTHON_IN_VENV) -m pytest -m fuzz --fuzz-count=$(COUNT) --fuzz-seed=$(SEED)

gpu: setup  ## Run the tests that need a GPU and PyTorch; SANITIZER=memcheck or racecheck looks closer
	@$(if $(SANITIZER),compute-sanitizer --tool $(SANITIZER) --error-exitcode 9) $(PYTHON_IN_VENV) -m pytest tests/gpu

docs: setup  ## Write docs/rules from the rules, and the schema of the settings
	@$(PYTHON_IN_VENV) -m tilelang_analyzers.rules.docs docs/rules
	@$(BIN)/tilelang-check --settings-schema > docs/json-schema/settings.schema.json

clean:  ## Remove caches and build results
	@rm -rf build dist .pytest_cache .ruff_cache .hypothesis .tilelang-cache
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

distclean: clean  ## Remove .venv and node_modules too
	@rm -rf .venv node_modules
