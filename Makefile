# Everything a person runs here. The environment lies in .venv; `make` builds it on first use.
SHELL := /bin/bash
PY := .venv/bin/python
HANDS ?=
GAME ?= jpoker
SEED ?=
DIR ?=
SEEDS ?= 20
WORKERS ?= 3
HANDS_OF_A_JOURNAL ?= 2000
LINES ?= 10000
FRAMES ?= 10000000
PLUGS ?= 2000
GONE ?= 10
PARTS ?=
YEAR_HANDS ?= 400000
YEAR_FILES ?= 12
WHOLE ?=

.PHONY: demo test lint bench year soak diagrams setup lock clean

setup: .venv/.ready

.venv/.ready: requirements.lock pyproject.toml firmware-sim/pyproject.toml scripts/setup
	@scripts/setup

demo: .venv/.ready
	@.venv/bin/firmware-sim demo --game '$(GAME)' $(if $(HANDS),--hands '$(HANDS)') $(if $(SEED),--seed '$(SEED)') $(if $(DIR),--dir '$(DIR)') $(if $(CARDS),--cards '$(CARDS)')

test: .venv/.ready
	@scripts/test-tools
	@$(PY) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --cov --cov-report=term:skip-covered tests

lint: .venv/.ready
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	.venv/bin/lint-imports

bench: .venv/.ready
	@$(PY) -m pip install --quiet --require-hashes -r requirements-bench.lock
	@$(PY) benchmarks/run.py
	@$(PY) benchmarks/floor.py
	@PYTHONPATH=tests/table:. $(PY) benchmarks/year.py $(HANDS_OF_A_JOURNAL)

year: .venv/.ready
	@PYTHONPATH=tests/table:. $(PY) benchmarks/year.py $(YEAR_HANDS) --files $(YEAR_FILES) $(if $(DIR),--folder '$(DIR)') $(if $(WHOLE),--whole $(WHOLE))

soak: .venv/.ready
	@scripts/test-tools
	@$(PY) tests/soak.py $(SEEDS) $(PARTS)
	@$(PY) tests/soak_line.py $(LINES) $(FRAMES) $(PLUGS) $(PARTS)
	@$(if $(filter gone,$(or $(PARTS),gone)),$(PY) tests/soak_gone.py $(GONE))

diagrams: .venv/.ready
	@scripts/diagrams

lock:
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 requirements.in -o requirements.lock
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 -c requirements.lock requirements-table.in -o requirements-table.lock
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 requirements-bench.in -o requirements-bench.lock

clean:
	rm -rf .venv build *.egg-info firmware-sim/*.egg-info
