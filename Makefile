# make test     lint, then the tests on every Python found
# make league   install into .venv and let the house bots play a small league, kept in league.db
# make docs     build the documentation as a site: site/index.html
# make bench    run the benchmarks
# make docs-cli bring the reference of commands in docs/cli.md up to date

PYTHON ?= python3
VENV := .venv
TOX := $(VENV)/bin/tox

# All tests run on the Python that make uses, two files at a time, since many of them mostly wait for processes. On the
# others run those of the parts a bot author imports; what else there is differs too little between Pythons to be worth
# three times the minutes.
HERE := $(shell $(PYTHON) -c 'import sys; print("py%d%d" % sys.version_info[:2])')
OTHERS := $(filter-out $(HERE),py311 py312 py313)
PORTABLE := tests/games tests/wire tests/sdk tests/packaging

# Version managers keep Pythons side by side: those not on the PATH are looked for beside the one in use.
PREFIX := $(shell $(PYTHON) -c 'import sys; print(sys.base_prefix)')
SIBLINGS := $(wildcard $(PREFIX)/../*/bin/python3.1[123])

empty :=
space := $(empty) $(empty)
comma := ,

export PIP_DISABLE_PIP_VERSION_CHECK := 1

SOURCES := pyproject.toml $(shell find server sdk proto bots -type f ! -name '*_pb2*' ! -path '*/__pycache__/*' ! -path '*/.*')

.PHONY: test league docs docs-cli bench clean

test: $(TOX)
	$(TOX) run-parallel --parallel 2 --parallel-no-spinner $(if $(SIBLINGS),--discover $(SIBLINGS)) \
		-e lint,$(subst $(space),$(comma),$(OTHERS)) -- $(PORTABLE)
	$(TOX) run -e $(HERE) -- --numprocesses 2 --dist loadfile

league: $(VENV)/installed
	$(VENV)/bin/beanleague --db league.db quickstart

docs: $(TOX)
	$(TOX) run -e docs

bench: $(TOX)
	$(TOX) run -e bench

docs-cli: $(TOX)
	$(TOX) exec -e lint -- cog -r -I tools docs/cli.md

clean:
	rm -rf $(VENV) .tox build dist site

$(VENV)/created:
	$(PYTHON) -m venv $(VENV)
	touch $@

$(TOX): $(VENV)/created
	$(VENV)/bin/pip install --quiet 'tox>=4.22'
	touch $@

$(VENV)/installed: $(VENV)/created $(SOURCES)
	$(VENV)/bin/pip install --quiet .
	touch $@
