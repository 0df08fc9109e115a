# Every command of the workbench. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help setup run test test-long test-cluster check format figures bench bench-cql e2e golden api-types cluster cluster-stop clean
SHELL := /bin/bash
PORT ?= 8400
NODES ?= 3
PYTHON := .venv/bin/python
FRONTEND_SOURCES := $(shell find frontend docs/images docs/reference $(wildcard docs/*.md) -type f -not -path '*/node_modules/*' -not -path 'frontend/dist/*' 2>/dev/null)

help: # (lists the targets)
	@awk -F ':.* ## ' '/^[a-z0-9-]+:.* ## / { printf "%-12s %s\n", $$1, $$2 }' Makefile

setup: .venv/.installed node_modules/.installed ## install the Python packages into .venv and the front end's with npm
	@:

.venv/.installed: requirements.lock engine/pyproject.toml service/pyproject.toml profiler/pyproject.toml backend/pyproject.toml
	@tools/setup-python.sh

node_modules/.installed: package-lock.json package.json frontend/package.json e2e/package.json
	@tools/setup-node.sh

frontend/dist/index.html: $(FRONTEND_SOURCES) node_modules/.installed
	@npm run --silent --workspace=frontend build -- --logLevel warn
	@touch frontend/dist/index.html

run: setup frontend/dist/index.html ## start the workbench on http://127.0.0.1:8400, or on PORT=
	@exec .venv/bin/piql serve --port $(PORT) --data data

test: setup ## everything: lint, types, unit tests, conformance cases, end-to-end tests, a cluster
	@$(PYTHON) tools/run_suites.py test

test-long: setup ## the tests that take minutes
	@$(PYTHON) tools/run_suites.py long

check: setup ## lint, types and dead code only
	@$(PYTHON) tools/run_suites.py check

format: setup ## format Python, TypeScript, CSS and JSON, and sort their imports
	@$(PYTHON) -m ruff check --quiet --select I --fix . && $(PYTHON) -m ruff format --quiet .
	@npm run --silent format

figures: setup ## run every experiment of the papers; their pages go to figures/
	@.venv/bin/piql experiment --all --out figures

bench: setup frontend/dist/index.html ## measure compiler, engine, heatmap and browser
	@tools/setup-chromium.sh
	@$(PYTHON) tools/bench.py

bench-cql: setup ## measure the engine on a cluster against hand-written code (NODES=1 for one node)
	@PYTHONPATH=tools $(PYTHON) tools/cluster_benchmarks/cql_speed.py --nodes $(NODES)
	@for each in loading paging strategies popularity scale; do \
	  PYTHONPATH=tools $(PYTHON) tools/cluster_benchmarks/$$each.py --nodes $(NODES) || exit 1; done

e2e: setup ## the end-to-end tests alone, in Chromium
	@$(PYTHON) tools/run_suites.py e2e

test-cluster: setup frontend/dist/index.html ## on a cluster: the suite, the cases and what takes minutes
	@$(PYTHON) tools/run_suites.py cluster

cluster: setup ## start three Cassandra nodes on 127.0.0.1, .2, .3 to try things on (NODES=1 for one)
	@PYTHONPATH=tools $(PYTHON) -m cluster start --nodes $(NODES)

cluster-stop: setup ## stop them; their data stays in .cluster/ until `make clean`
	@PYTHONPATH=tools $(PYTHON) -m cluster stop

golden: setup ## write the golden files, the reference pages and the tables of the samples anew; review the diff
	@$(PYTHON) -m pytest -q engine/tests sample-apps --update-golden

api-types: setup ## generate what the front end takes from the code: API types, words of the language
	@tools/api-types.sh frontend/src

clean: ## remove what was installed, built and measured (not data/)
	@[ ! -d .cluster ] || PYTHONPATH=tools python3 -m cluster stop
	@rm -rf .venv .uv node_modules frontend/node_modules e2e/node_modules frontend/dist .test-results e2e/test-results
	@rm -rf .cluster .promtool .nginx .helm .mypy_cache .ruff_cache .pytest_cache .hypothesis
