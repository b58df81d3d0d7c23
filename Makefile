# make install  murid into .venv; the other commands do it by themselves
# make demo     a small simulated archive through the whole pipeline, into demo/
# make smoke    the smallest archive through the whole pipeline, into .test/, in a minute
# make test     the test suite, but for what takes minutes
# make test-long    archives of bad segments and of a lab through the whole pipeline; runs that are killed
# make test-movement    that movement reads exports; installs it, and some 50 packages with it
# make test-slurm   the pipeline through a real SLURM, which this machine plays (root, Debian's slurm-wlm)
# make lint     style of Python and Snakemake files, and types
# make bench    speed figures
# make profile  let `snakemake --profile slurm` find profiles/slurm
# make docs     the site, into build/site: its notebooks are run on a small run of their own, in minutes
# make settings config/config.yaml, schema.json and the tables of README.md, from the models
# make clean    remove the demo and what tools leave behind; results/ and .venv stay

PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
RECIPES := .venv/.recipes
SMK := Snakefile workflow/rules
# As .test/config.yaml and .test/segments.tsv have it.
SMALLEST := --cages 2 --seconds 16 --damaged-seconds 1 --width 224 --annotate-every 0.4
.DEFAULT_GOAL := help
.PHONY: help install demo smoke test test-long test-movement test-slurm lint bench profile settings docs clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

# One call of pip, so that it takes the pinned torch at once and never another one first.
$(INSTALLED): pyproject.toml envs/pins.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$(PYTHON) is too old or missing: murid needs Python 3.11 or newer." \
	    "Name one: make PYTHON=python3.12 ..."; exit 1; } >&2
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || \
	  { rm -rf .venv; echo "$(PYTHON) cannot make a virtual environment: install its venv module" \
	    "(Debian, Ubuntu: apt install python3-venv)."; exit 1; } >&2
	$(BIN)/python -m pip install --quiet -c envs/pins.txt -e '.[dev]'
	@touch $@

install: $(INSTALLED)

# Tools of which config/README.md tells; where they are not to be had, their tests are skipped.
$(RECIPES): $(INSTALLED) envs/recipes.txt
	@$(BIN)/python -m pip install --quiet --no-deps -r envs/recipes.txt && touch $@ || \
	  echo "envs/recipes.txt cannot be installed: the tests that need it are skipped." >&2

demo: $(INSTALLED)
	test -e demo/archive/segments.tsv || $(BIN)/murid simulate demo/archive
	$(BIN)/snakemake --cores all --configfile config/simulated.yaml config/demo.yaml --show-failed-logs
	@echo; echo "The report is in $(CURDIR)/demo/results/report/index.html"

# Its segments are sound: that one is discarded, or failed, is a fault.
smoke: $(INSTALLED)
	test -e .test/archive/segments.tsv || $(BIN)/murid simulate .test/archive $(SMALLEST)
	rm -rf .test/results
	$(BIN)/snakemake --cores 2 --directory .test --configfile .test/config.yaml --show-failed-logs
	@! grep -E 'discarded|failed' .test/results/report/segments.csv

test: $(RECIPES)
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

test-long: $(INSTALLED)
	$(BIN)/pytest -m long -rP tests/integration

test-movement: $(INSTALLED)
	$(BIN)/python -m pip install --quiet -c envs/pins.txt -e '.[movement]'
	$(BIN)/pytest -rs tests/unit/test_exports_read.py

test-slurm: $(INSTALLED)
	$(BIN)/pytest -m slurm -rs tests/integration

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check $(SMK)
	$(BIN)/mypy
	$(BIN)/snakemake --lint --sdm conda --configfile config/config.yaml --config archive=config

bench: $(INSTALLED)
	$(BIN)/pytest -s tests/bench

profile:
	@folder="$${XDG_CONFIG_HOME:-$$HOME/.config}/snakemake"; mkdir -p "$$folder"; \
	link="$$folder/slurm"; \
	if [ -e "$$link" ] && [ "$$(readlink "$$link")" != "$(CURDIR)/profiles/slurm" ]; then \
	  echo "$$link is there already: remove it, or use --profile $(CURDIR)/profiles/slurm" >&2; \
	  exit 1; \
	fi; \
	ln -sfn "$(CURDIR)/profiles/slurm" "$$link"; \
	echo "$$link -> $(CURDIR)/profiles/slurm"

settings: $(INSTALLED)
	$(BIN)/python -m murid.settings_text .

# A warning is a fault: of a link, too. What the notebooks look at is run again only as far as it is stale.
docs: $(INSTALLED)
	$(BIN)/python -m pip install --quiet -c envs/pins.txt -e '.[docs]'
	$(BIN)/python docs/making/archive.py build/docs/archive
	$(BIN)/snakemake animals all --cores 2 --configfile docs/making/archive.yaml --show-failed-logs
	@! grep -E 'discarded|failed' build/docs/results/report/segments.csv
	$(BIN)/mkdocs build --strict
	@echo; echo "The site is in $(CURDIR)/build/site/index.html"

clean:
	rm -rf demo build .pytest_cache .hypothesis .mypy_cache .ruff_cache workflow/*.egg-info
	rm -rf .test/archive .test/results .test/.snakemake
	find workflow tests -name __pycache__ -type d -prune -exec rm -rf {} +
