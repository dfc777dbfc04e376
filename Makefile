# Every command there is. `make` alone lists them. Needs Python >= 3.11, make and git; brings the rest itself.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:

BIN := .venv/bin
FRONTEND := $(shell find frontend/src frontend/public frontend/extension frontend/tools frontend/index.html frontend/*.ts frontend/*.json -type f 2>/dev/null)
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
# Node from PATH if it is new enough, else the one that setup put into .venv.
WITH_NODE := PATH="$$($(CURDIR)/tools/node):$$PATH"

.PHONY: help run test setup dev bench check lint types unit e2e cluster lock chromium

help: ## This list
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: setup ## Demo: app and API on http://127.0.0.1:8000, with a database of its own
	@DEMO=$${DEMO-1} LOG_LEVEL=$${LOG_LEVEL-warning} exec $(BIN)/tableapi serve

test: setup chromium lint types unit ## Every check; ends with pytest's closing line
	@$(WITH_NODE) $(BIN)/pytest -q -n 2 --dist loadfile tests

setup: .venv/.installed frontend/dist/.built ## All that run and test need: .venv/bin/tableapi, frontend/dist

dev: setup ## Server and front end that follow every change of a file
	@DEMO=$${DEMO-1} $(BIN)/tableapi serve --reload & server=$$!; \
	trap 'kill $$server 2>/dev/null; wait $$server' EXIT; cd frontend && $(WITH_NODE) npm run dev

bench: .venv/.installed ## Speed, side by side: QUICK=1, SCALE=10, PEERS=1, ONLY=S1,reveal (docs/performance.md)
	@$(WITH_NODE) $(BIN)/python -m bench $(if $(QUICK),--quick) $(if $(PEERS),--peers) \
		$(if $(SCALE),--scale $(SCALE)) $(if $(WORKERS),--workers $(WORKERS)) $(if $(ONLY),--only $(ONLY))

lint: setup ## Style of Python and TypeScript
	@$(BIN)/ruff check . && $(BIN)/ruff format --check --quiet .
	@$(BIN)/lint-imports --no-logo --cache-dir .cache/imports >/dev/null || $(BIN)/lint-imports --no-logo --cache-dir .cache/imports
	@$(BIN)/python tools/prose
	@cd frontend && $(WITH_NODE) npm run --silent lint

types: setup ## mypy --strict and tsc
	@$(BIN)/mypy
	@cd frontend && $(WITH_NODE) npm run --silent types

check: lint types unit ## The fast lane: lint, types, unit
	@$(BIN)/pytest -q tests/engine/unit tests/product/unit tests/repository

unit: setup ## Unit tests of the front end, and the sizes of what a browser loads first
	@cd frontend && $(WITH_NODE) npm run --silent test && $(WITH_NODE) npm run --silent budget

cluster: setup ## Two nodes, nginx, Redis, a replica: what may die, as a table (docs/operations.md)
	@tools/peers && $(BIN)/python -m tests.system.cluster

e2e: setup chromium ## Journeys in Chromium
	@$(WITH_NODE) $(BIN)/pytest -q tests/e2e

.PHONY: docs
docs: .venv/.installed ## The documentation as a site in build/docs, which `serve` offers under /docs
	@[ -x $(BIN)/zensical ] || { echo "Installing Zensical ..."; $(PIP) install --root-user-action=ignore -e '.[docs]'; }
	@$(BIN)/zensical build --strict

lock: ## requirements.lock made anew from pyproject.toml
	@tools/lock

chromium:
	@tools/chromium

.venv/.installed: requirements.lock pyproject.toml tools/venv tools/node
	@tools/venv
	@echo "Installing the Python packages ..."
	@$(PIP) install --root-user-action=ignore --only-binary :all: --require-hashes -r requirements.lock
	@$(PIP) install --root-user-action=ignore --no-deps -e .
	@tools/node --install >/dev/null
	@touch $@

frontend/node_modules/.installed: frontend/package-lock.json .venv/.installed
	@echo "Installing the packages of the front end ..."
	@cd frontend && $(WITH_NODE) npm ci --no-audit --no-fund --loglevel=error
	@touch $@

frontend/dist/.built: frontend/node_modules/.installed $(FRONTEND)
	@echo "Building the front end ..."
	@cd frontend && $(WITH_NODE) npm run --silent build
	@touch $@
