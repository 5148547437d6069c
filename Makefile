# `make run` and `make test` need git, make and Python 3.11; everything else they install into .venv and .state.
PYTHON ?= python3
# An index that serves CPU builds of torch; empty takes the build in the lock, which brings CUDA along.
TORCH_INDEX ?=
VENV := .venv
BIN := $(VENV)/bin
MEMBERS := $(wildcard services/* shared/* clients/cli clients/web) local
# Inspect wants other versions of libraries than the platform: what runs within it has an environment and a lock of its own.
INSPECT := $(VENV)/inspect
SBOM := $(VENV)/sbom
INSPECT_MEMBERS := $(wildcard shared/*) clients/inspect
PYPROJECTS := pyproject.toml $(foreach m,$(MEMBERS),$(wildcard $(m)/pyproject.toml))
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help setup inspect sbom-tool sbom tools lock gen check test run bench chaos cluster cluster-test cluster-down clean
help:
	@echo "make run     start the platform and run the main job"
	@echo "make test    run every test"
	@echo "make tools   fetch and build what the tests need, once a machine"
	@echo "make inspect Inspect with releases as its tasks, in .venv/inspect"
	@echo "make sbom    what images are made of, as CycloneDX: IMAGES=\"ingester.tar ...\""
	@echo "make check   format, lint, types, layers, generated code"
	@echo "make bench   measure; JSON lines on stdout"
	@echo "make chaos   take each dependency away for two minutes, kill each process, try each door; JSON lines"
	@echo "make cluster a real Kubernetes of one node here, with the chart installed; make cluster-test loads and disturbs it; make cluster-down"
	@echo "make gen     regenerate stubs, schemas, AsyncAPI, the chart's schema and README"
	@echo "make lock    recompile requirements.lock"

# With another Python the lock is either refused late or gives an environment that nobody has tested.
$(VENV)/.uv: requirements-bootstrap.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || \
	  { echo "$(PYTHON) is no Python 3.11; name one, for example: make $(or $(MAKECMDGOALS),run) PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-bootstrap.lock
	@touch $@

$(VENV)/.ready: $(VENV)/.uv requirements.lock $(PYPROJECTS)
ifeq ($(TORCH_INDEX),)
	@echo "Setting up .venv from requirements.lock (about 3 GB to download the first time, 7 GB on disk; 5 of them are torch with"
	@echo "CUDA. Without a GPU: make setup TORCH_INDEX=URL, an index that serves CPU builds of torch, leaves them out)"
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip sync --quiet --require-hashes requirements.lock
else
	@echo "Setting up .venv from requirements.lock without CUDA (5 GB less on disk), torch from $(TORCH_INDEX)"
	awk '/^[a-z]/ {keep = !/^(torch|triton|nvidia-|cuda-)/} keep' requirements.lock > $(VENV)/kept.lock
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip sync --quiet --require-hashes $(VENV)/kept.lock
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --quiet --no-deps --index-url $(TORCH_INDEX) "torch==$$(sed -n 's/^torch==\([0-9.]*\).*/\1/p' requirements.lock)"
endif
# Some ten processes are started by each run, and half of what that takes would be compiling what they import.
	@echo "Installing the services, and compiling what they import (a minute or two)"
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --quiet --no-deps --no-build-isolation $(foreach m,$(MEMBERS),-e $(m))
# What uv compiles depends on its version and on what it had to install. A few packages bring files that are no Python 3:
# tests/repo/test_setup.py sees to it that what the services import is compiled.
	@$(BIN)/python -m compileall -q -j 0 $(VENV)/lib $(wildcard $(addsuffix /src,$(MEMBERS))) > $(VENV)/compiling.log 2>&1 || true
	@touch $@

setup: $(VENV)/.ready

$(INSPECT)/.ready: $(VENV)/.ready clients/inspect/requirements.lock clients/inspect/pyproject.toml
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(INSPECT)
	VIRTUAL_ENV=$(INSPECT) $(BIN)/uv pip sync --quiet --require-hashes clients/inspect/requirements.lock
	VIRTUAL_ENV=$(INSPECT) $(BIN)/uv pip install --quiet --no-deps --no-build-isolation $(foreach m,$(INSPECT_MEMBERS),-e $(m))
	@touch $@

inspect: $(INSPECT)/.ready

# What writes bills of materials has an environment and a lock of its own: the platform needs nothing of it.
$(SBOM)/.ready: $(VENV)/.ready local/sbom/requirements.lock
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(SBOM)
	VIRTUAL_ENV=$(SBOM) $(BIN)/uv pip sync --quiet --require-hashes local/sbom/requirements.lock
	@touch $@

sbom-tool: $(SBOM)/.ready

# What images are made of, as CycloneDX in .state/sbom: make sbom IMAGES="ingester.tar evaluator.tar", of `docker save` or buildah.
sbom: sbom-tool
	@$(SBOM)/bin/python local/sbom/image_sbom.py $(or $(IMAGES),$(error IMAGES names archives of images)) --out .state/sbom

lock: $(VENV)/.uv
	$(BIN)/python local/requirements_in.py | $(BIN)/uv pip compile --quiet --python-version 3.11 --generate-hashes --no-header --no-annotate - -o requirements.lock
	$(BIN)/python local/service_requirements.py
	$(BIN)/uv pip compile --quiet --python-version 3.11 --generate-hashes --no-header --no-annotate local/sbom/requirements.in -o local/sbom/requirements.lock
	echo uv | $(BIN)/uv pip compile --quiet --python-version 3.11 --generate-hashes --no-header --no-annotate - -o requirements-bootstrap.lock

gen: setup
	rm -rf shared/rpc/src/touchstone && mkdir -p shared/rpc/src/touchstone
	$(BIN)/python -m grpc_tools.protoc -I proto --python_out=shared/rpc/src --grpc_python_out=shared/rpc/src --mypy_out=quiet:shared/rpc/src --mypy_grpc_out=quiet:shared/rpc/src $(shell find proto -name '*.proto' | sort)
	touch shared/rpc/src/touchstone/__init__.py
	$(BIN)/python -m touchstone_contracts.generate
	$(BIN)/python shared/contracts/asyncapi.py
	$(BIN)/python docs/draw_flow.py
	$(BIN)/python docs/draw_reference.py
	$(BIN)/python helm/dashboards.py
	$(BIN)/python helm/values_reference.py

check: setup inspect sbom-tool
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/buf lint proto
	$(BIN)/python shared/contracts/compatibility.py
	$(BIN)/vulture
	for member in $(MEMBERS); do (cd $$member && $(CURDIR)/$(BIN)/deptry src --no-ansi --ignore DEP002 --package-module-name-map touchstone-rpc=touchstone) || exit 1; done
	(cd clients/inspect && $(CURDIR)/$(BIN)/deptry src --no-ansi --ignore DEP002 --package-module-name-map touchstone-rpc=touchstone)
	$(BIN)/python tests/repo/generated_is_fresh.py

# All that tests fetch or build, once a machine, outside their time limits; goes on where it was interrupted.
# TOOLS names some of them, for example: make tools TOOLS="weaviate"
tools: setup
	@$(BIN)/python -m touchstone_local.tools $(TOOLS)

# All parts are run; a table at the end says which failed. PYTEST takes options of pytest, PARTS names some parts.
test: tools inspect sbom-tool
	@$(BIN)/python tests/run.py $(PARTS) -- $(PYTEST)

# RUN takes options of `touchstone run`, for example: make run RUN="--tasks-limit 50". INDEX=weaviate indexes codes there.
run: setup
	@$(if $(filter weaviate,$(INDEX)),$(BIN)/python -m touchstone_local.tools weaviate &&) \
	$(if $(INDEX),TOUCHSTONE_CODE_INDEX=$(INDEX)) $(BIN)/touchstone run $(RUN)

# The tools come first: fetching and building is no part of what is measured. BENCHES names some, for example: make bench BENCHES=bus
bench: tools
	@$(BIN)/python tests/bench/every.py $(BENCHES)

# What was done for this commit is not done again. CHAOS takes options, for example:
# make chaos CHAOS="--seconds 20 --only kafka,postgres,doors --count 100"; --list names the steps.
chaos: tools
	@$(BIN)/python tests/chaos/run.py $(CHAOS)

# A node in namespaces of its own: nothing of the machine is changed, and cluster-down leaves no trace of it.
# BACKEND=pods runs foreign code in runner pods, and every pod of the platform unprivileged. SCALING=1 brings KEDA too.
# RUNTIME=built: containerd 2, runc 1.3 and gVisor from their Go modules, for runner pods without users of the node or on gVisor.
cluster: setup
	@$(BIN)/python -m touchstone_local.cluster all --backend $(or $(BACKEND),local) --runtime $(or $(RUNTIME),packaged) $(if $(SCALING),--scaling)

# Where no node runs, a plain one is brought up first. What was done for this commit is not done again.
# CLUSTER takes options, for example: make cluster-test CLUSTER="--only balance,rolling"
cluster-test: setup
	@$(BIN)/python tests/cluster/run.py $(CLUSTER)

cluster-down: setup
	@$(BIN)/python -m touchstone_local.cluster down --forget

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache
