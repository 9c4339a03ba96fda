# Everyday commands. Each one sets up what it needs in .venv by itself; a second call is instant.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test check bare format bench bench-nmt results docs clean

# More words for pytest: make test ARGS="-m slow"
ARGS ?=
# More words for pip, e.g. to do without the CUDA libraries on a machine without a GPU:
# make test PIP_FLAGS="--extra-index-url https://download.pytorch.org/whl/cpu"
PIP_FLAGS ?=

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# --- set-up ---------------------------------------------------------------------------------

VENV := .venv
BARE := .venv-bare
RUN := $(VENV)/bin/python -m
PIP := pip --disable-pip-version-check install -qq -c constraints.txt $(PIP_FLAGS)
INSTALL := $(RUN) $(PIP)

# The first Python at hand that is new enough; override with make PYTHON=….
PYTHON ?= $(shell for python in python3.11 python3 python3.12 python3.13 python3.14; do \
	$$python -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)

EXTRAS_demo := all
EXTRAS_test := dev
EXTRAS_bench := bench
EXTRAS_docs := docs

# A stamp per use, named after all that decides what is installed: a change or a move of the
# folder installs again, and nothing else does.
KEY := $(shell { cat pyproject.toml zoo/pyproject.toml constraints.txt; pwd; } | cksum | cut -d ' ' -f 1)
READY := $(VENV)/.ready-$(KEY)

$(READY)-%: | $(VENV)/bin/python
	@echo "Installing regard[$(EXTRAS_$*)] into $(VENV) (some minutes the first time) ..."
	@$(INSTALL) torch==2.13.0 hatchling editables
	@$(INSTALL) --no-build-isolation -e ./zoo -e '.[$(EXTRAS_$*)]'
	@rm -f $(VENV)/.ready-*-$*
	@touch $@

# Made from nothing each time: what another version needed must not be left in it. Inside lies a
# second one, for commands, which sees the packages of the first and adds those of two extras.
COMMANDS := $(BARE)/commands
SITE := import sysconfig; print(sysconfig.get_path("purelib"))
$(BARE)/.ready-$(KEY):
	@echo "Installing regard without any extra into $(BARE) (some minutes the first time) ..."
	@test -n "$(PYTHON)" || { echo "regard needs Python 3.11 or newer with venv" >&2; exit 1; }
	@rm -rf $(BARE)
	@$(PYTHON) -m venv $(BARE)
	@$(BARE)/bin/python -m $(PIP) torch==2.13.0 hatchling editables
	@$(BARE)/bin/python -m $(PIP) --no-build-isolation -e .
	@$(PYTHON) -m venv $(COMMANDS)
	@$(BARE)/bin/python -c '$(SITE)' > "$$($(COMMANDS)/bin/python -c '$(SITE)')/bare.pth"
	@$(COMMANDS)/bin/python -m $(PIP) --no-build-isolation -e ./zoo -e '.[cli,zoo]'
	@touch $@

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "regard needs Python 3.11 or newer with venv" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# --- commands -------------------------------------------------------------------------------

demo: $(READY)-demo ## set up, translate three sentences, draw who looked at whom, a line of each model
	@mkdir -p demo
	@echo 'Three sentences, translated; under each word of the source, who looked at it:'
	$(RUN) regard translate "The black cat ate the mouse." "red dress" "I love you." --show
	$(RUN) regard show "The black cat ate the mouse." --out demo/black-cat.png
	$(RUN) regard show "The black cat ate the mouse." --model en-fr-transformer en-fr-bahdanau \
		--out demo/black-cat.html
	@echo 'A line of each of the other models there are:'
	@$(VENV)/bin/python tools/demo.py
	@echo 'One query, four keys, number by number:'
	$(RUN) regard explain --query "10,5,10" --keys "0,1,1; 5,0,1; 1,1,0; 0,5,1" --score dot
	@echo
	@echo 'Drawn: demo/black-cat.png, and demo/black-cat.html with both translators side by side.'
	@echo 'Try next, after ". $(VENV)/bin/activate":  regard translate "Where is the red car?" --show'

# Bytecode is kept, whatever the shell says: tests start many processes, and each imports all of it.
test: $(READY)-test ## set up and run the tests
	@PYTHONDONTWRITEBYTECODE= $(RUN) pytest -q -n 2 --dist worksteal $(ARGS)

check: $(READY)-test ## format, lint, types (strict), direction of imports
	$(RUN) ruff format --check .
	$(RUN) ruff check .
	$(RUN) mypy src benchmarks
	$(VENV)/bin/python tools/import_arrows.py src/regard

bare: $(BARE)/.ready-$(KEY) ## set up with few extras or none, and run what README shows
	@$(BARE)/bin/python tools/bare.py core
	@$(COMMANDS)/bin/python tools/bare.py commands

format: $(READY)-test ## rewrite the files in the one format
	$(RUN) ruff check --fix .
	$(RUN) ruff format .

bench: $(READY)-bench ## set up and measure the kernels beside their peers, the quick set
	$(RUN) benchmarks kernels --quick

bench-nmt: | $(VENV)/bin/python ## set up the frameworks beside which training is measured
	@$(VENV)/bin/python tools/bench_nmt.py $(PIP_FLAGS)

results: | $(VENV)/bin/python ## write README and docs/results.md anew from benchmarks/results
	@$(VENV)/bin/python tools/results.py render

docs: $(READY)-docs ## set up and build the documentation site into site/
	@NO_MKDOCS_2_WARNING=1 $(RUN) mkdocs build --strict --quiet
	@echo 'Built: site/index.html'
	@echo 'With search: $(RUN) http.server --directory site'

clean: ## delete what builds and runs left behind; .venv and .venv-bare stay
	rm -rf build dist demo site .mypy_cache .pytest_cache .ruff_cache .hypothesis .numba_cache
	find src benchmarks tests tools zoo -name __pycache__ -type d -prune -exec rm -rf {} +
