# `make run` and `make test` need git, make and Python 3.11; everything else they install into .venv and .state.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MEMBERS := $(wildcard services/* shared/* clients/cli) local
PYPROJECTS := pyproject.toml $(foreach m,$(MEMBERS),$(wildcard $(m)/pyproject.toml))
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help setup lock gen check test run bench clean
help:
	@echo "make run     start the platform and run the main job"
	@echo "make test    run every test"
	@echo "make check   format, lint, types, layers, generated code"
	@echo "make bench   measure; JSON lines on stdout"
	@echo "make gen     regenerate stubs, schemas, AsyncAPI"
	@echo "make lock    recompile requirements.lock"

$(VENV)/.uv: requirements-bootstrap.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-bootstrap.lock
	@touch $@

$(VENV)/.ready: $(VENV)/.uv requirements.lock $(PYPROJECTS)
	@echo "Setting up .venv from requirements.lock (about 3 GB to download the first time, 7 GB on disk)"
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip sync --quiet --require-hashes requirements.lock
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --quiet --no-deps --no-build-isolation $(foreach m,$(MEMBERS),-e $(m))
	@touch $@

setup: $(VENV)/.ready

lock: $(VENV)/.uv
	$(BIN)/python local/requirements_in.py | $(BIN)/uv pip compile --quiet --python-version 3.11 --generate-hashes --no-header --no-annotate - -o requirements.lock
	$(BIN)/python local/service_requirements.py
	echo uv | $(BIN)/uv pip compile --quiet --python-version 3.11 --generate-hashes --no-header --no-annotate - -o requirements-bootstrap.lock

gen: setup
	rm -rf shared/rpc/src/touchstone && mkdir -p shared/rpc/src/touchstone
	$(BIN)/python -m grpc_tools.protoc -I proto --python_out=shared/rpc/src --grpc_python_out=shared/rpc/src --mypy_out=quiet:shared/rpc/src --mypy_grpc_out=quiet:shared/rpc/src $(shell find proto -name '*.proto' | sort)
	touch shared/rpc/src/touchstone/__init__.py
	$(BIN)/python -m touchstone_contracts.generate
	$(BIN)/python shared/contracts/asyncapi.py
	$(BIN)/python docs/draw_flow.py

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/buf lint proto
	$(BIN)/vulture
	for member in $(MEMBERS); do (cd $$member && $(CURDIR)/$(BIN)/deptry src --no-ansi --ignore DEP002 --package-module-name-map touchstone-rpc=touchstone) || exit 1; done
	$(BIN)/python tests/repo/generated_is_fresh.py

# Tests of what an executor leaves behind look at all of their process, so executors of other tests get processes of their own.
test: setup
	$(BIN)/python -m pytest $(PYTEST) --ignore services/sandbox-executor --ignore tests/attacks --ignore tests/contract/sandbox_backend
	$(BIN)/python -m pytest $(PYTEST) services/sandbox-executor/tests --ignore services/sandbox-executor/tests/languages
	$(BIN)/python -m pytest $(PYTEST) services/sandbox-executor/tests/languages
	$(BIN)/python -m pytest $(PYTEST) tests/contract/sandbox_backend
	$(BIN)/python -m pytest $(PYTEST) tests/attacks

# RUN takes options of `touchstone run`, for example: make run RUN="--tasks-limit 50"
run: setup
	@$(BIN)/touchstone run $(RUN)

bench: setup
	@for name in bus ingester_speed ingester_memory tasks suites sandbox languages; do $(BIN)/python tests/bench/$$name.py || exit 1; done

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache
