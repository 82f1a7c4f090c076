# make test     lint, then the tests on every Python found
# make nightly  run every long environment of tox.ini in turn, for hours, and end with a table
# make league   install into .venv and let the house bots play a small league
# make dev      make .venv a development environment: an editable install, with what tests and lint need
# make lint     check format, style, types, the borders between the packages, the front end and docs/cli.md, in .venv
# make fmt      format, and fix what ruff and Biome can fix
# make docs     build the documentation as a site: site/index.html
# make generated  bring up to date what tools write: docs/cli.md, and the viewer's data and types of records
# make bench    run the benchmarks, and write their figures into docs/figures.md
# make screenshots  take the pictures of the site for docs/, which needs Debian's chromium
# make pictures  take the pictures anew that pages of the site are compared with, and whole ones: build/pictures/
# make pins     write .ci/constraints.txt anew: the newest versions of all that tests, lint, docs and the build need
# make clean    remove all environments and what was built

# Programs that pip writes begin with the path of their Python, in which a shell would look for the variable.
ifneq ($(findstring $$,$(CURDIR)),)
$(error pip cannot install below a folder with a dollar sign in its name: move $(CURDIR))
endif

PYTHON ?= python3
VENV := .venv
TOX := $(VENV)/bin/tox

# All tests run on the Python that make uses. On the others every ruleset must give its golden record byte for byte, and
# the tests of the parts a bot author imports run; what else there is differs too little between Pythons to be worth
# three times the minutes. All environments run at the same time, since many tests mostly wait for processes.
HERE := $(shell $(PYTHON) -c 'import sys; print("py%d%d" % sys.version_info[:2])')
OTHERS := $(filter-out $(HERE),py311 py312 py313 py314)
ENVIRONMENTS := $(HERE) lint $(OTHERS:%=%-portable)
# Files or folders of tests, for less than all: make test ENVIRONMENTS='$(HERE)' TESTS=tests/cli
TESTS :=

# Version managers keep Pythons side by side: those not on the PATH are looked for beside the one in use.
PREFIX := $(shell $(PYTHON) -c 'import sys; print(sys.base_prefix)')
SIBLINGS := $(wildcard $(PREFIX)/../*/bin/python3.1[1234])

empty :=
space := $(empty) $(empty)
comma := ,

export PIP_DISABLE_PIP_VERSION_CHECK := 1

SOURCES := pyproject.toml $(shell find server sdk proto bots -type f ! -name '*_pb2*' ! -path '*/__pycache__/*' ! -path '*/.*')

.PHONY: test nightly league dev lint fmt docs generated bench screenshots pictures pins clean

test: $(TOX)
	$(PYTHON) tools/cells.py here $(TOX) run-parallel --parallel all --parallel-no-spinner $(if $(SIBLINGS),--discover $(SIBLINGS)) \
		-e $(subst $(space),$(comma),$(ENVIRONMENTS)) $(if $(TESTS),-- $(TESTS))

nightly: $(TOX)
	$(PYTHON) tools/environments.py nightly

league: $(VENV)/installed
	$(VENV)/bin/beanleague quickstart

dev: $(VENV)/dev

lint: $(VENV)/dev
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" tools/lint

fmt: $(VENV)/dev
	$(VENV)/bin/ruff format
	$(VENV)/bin/ruff check --fix
	$(VENV)/bin/python tools/check_front.py --write

docs: $(TOX)
	$(TOX) run -e docs

generated: $(VENV)/dev
	$(VENV)/bin/cog -r -I tools docs/cli.md server/beanleague/web/static/viewer/records.d.ts
	$(VENV)/bin/python tools/make_viewer_data.py

bench: $(TOX)
	$(TOX) run -e bench -- --page docs/figures.md

screenshots: $(VENV)/dev
	$(VENV)/bin/python tools/screenshots.py

pictures: $(VENV)/dev
	NEW_PICTURES=1 $(VENV)/bin/pytest --quiet -m 'slow or not slow' tests/web/test_pictures.py

pins: $(VENV)/created
	$(VENV)/bin/pip install --quiet --upgrade 'pip>=25.1'
	$(VENV)/bin/python tools/pins.py .ci/constraints.txt

clean:
	rm -rf $(VENV) .tox node_modules build dist site

$(VENV)/created:
	$(PYTHON) -m venv $(VENV)
	touch $@

$(TOX): $(VENV)/created
	$(VENV)/bin/pip install --quiet 'tox>=4.22'
	touch $@

# A development environment stays one.
$(VENV)/installed: $(VENV)/created $(SOURCES)
	$(VENV)/bin/pip install --quiet $(if $(wildcard $(VENV)/dev),--editable) '.[web]'
	touch $@

# Dependency groups need pip 25.1. An editable install generates the code of the .proto files beside them.
$(VENV)/dev: $(VENV)/created pyproject.toml $(wildcard proto/beanproto/v1/*.proto)
	$(VENV)/bin/pip install --quiet --upgrade 'pip>=25.1'
	$(VENV)/bin/pip install --quiet --editable . --group lint
	touch $@
