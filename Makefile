# Everything happens in .venv, which the first target that needs it makes. Works with GNU and BSD make.

PY = .venv/bin/python
READY = .venv/.ready
# A folder to open with `make run`: the current one unless told otherwise.
PROJECT = .
# More arguments for pytest, for instance: make test ARGS="tests/cli -x"
ARGS =
# What `make mutants` changes: the formats, the documents, the store and sharing, or for instance
# make mutants MODULES="--most 200 tui/memtui/store/listing.py"
MODULES = $$(find $(addprefix tui/memtui/,formats documents store share) -name '[a-z]*.py' | sort)
# Any Python from 3.11 serves to make .venv: make test PYTHON=/opt/python3.12
PYTHON =

.PHONY: help run demo test tmux kill e2e lint format types contracts wheel check bench bench-peers mutants screenshots clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

run: $(READY) ## Open memtui here, or on a demo project when there is nothing to show here
	@$(PY) -m memtui --demo-if-empty "$(PROJECT)"

demo: $(READY) ## Open memtui on a demo project with a session going on
	@$(PY) -m memtui demo

# Compiled first, and what pytest makes of the tests is kept: it would take each worker longer than a
# twentieth of all tests. Work is stolen, not dealt out: most files then run, and build what they share, once.
test: $(READY) ## Run the tests
	@$(PY) -m compileall -q tui/memtui
	@PYTHONDONTWRITEBYTECODE= $(PY) -m pytest -n auto --maxprocesses 4 --dist worksteal $(ARGS)

tmux: $(READY) ## Run memtui in a real tmux at three sizes, by keys alone
	@$(PY) -m tests.tmux_run
	@$(PY) -m tests.tmux_keys

kill: $(READY) ## Kill an archiving process at every system call, and a sync at many (Linux); nothing is lost
	@$(PY) -m tests.kill_run
	@$(PY) -m tests.kill_sync

e2e: $(READY) ## Run a real Claude Code against a stand-in API: CLAUDE_CODE=/path/to/claude make e2e
	@$(PY) -m tests.e2e.run

lint: $(READY) ## Check style and formatting
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .

format: $(READY) ## Put the code into the one format
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

types: $(READY) ## Check the types, tests included
	@$(PY) -m mypy

contracts: $(READY) ## Check which module may import which
	@.venv/bin/lint-imports

wheel: $(READY) ## Build a wheel, install it into an empty environment and run it
	@sh .ci/wheel

check: lint types contracts test wheel ## Everything that has to pass before a change is merged

bench: $(READY) ## Measure against the budgets
	@$(PY) benchmarks/run.py

bench-peers: $(READY) ## Measure beside claude-code-log, which is installed for it and removed again
	@$(PY) benchmarks/peers.py

mutants: $(READY) ## Name changes of MODULES that their tests do not notice (takes long)
	@$(PY) benchmarks/mutants.py $(MODULES)

screenshots: $(READY) ## Make the pictures in screenshots/ from the demo project
	@PYTHONPATH=. $(PY) screenshots/make.py

clean: ## Remove .venv and every cache
	@rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find tui tests benchmarks screenshots -type d -name __pycache__ -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt .ci/setup
	@sh .ci/setup $(PYTHON)
