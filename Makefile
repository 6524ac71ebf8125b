# Needs python3 (3.11 or newer), make and the package index. `make help` lists the targets.
SCALE  ?= default
PYTHON ?= python3
# Conda's environment tres serves while it is active; conda's base, or another, never does.
ifeq ($(CONDA_DEFAULT_ENV),tres)
VENV   := $(or $(CONDA_PREFIX),$(error CONDA_DEFAULT_ENV is tres, but CONDA_PREFIX is empty. Run "conda activate tres" again))
PYTHON := $(VENV)/bin/python
else
VENV   := .venv
endif
RUN    := $(VENV)/bin/python
HOUSES := tres_webs tres_lib tres_live tres_book
ALL    := .[bilstm,book,cluster,docs,pdf,scrapy,test,text]

# Two OpenMP threads on two busy cores make a small torch call hundreds of times slower.
export OMP_NUM_THREADS = 1
export OMP_WAIT_POLICY = PASSIVE
export GOMP_SPINCOUNT = 0
# Tests of a file stay in one process, and share what it made.
CORES  := -n logical --dist loadfile
# EXECUTOR=tcp://host:8786 sends the sweeps to a Dask cluster.
export TRES_EXECUTOR = $(EXECUTOR)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Processes of a run share what Python compiles.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help setup reproduce smoke test quick lint lab report docs verify rests fuzz bench lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile
	@echo "  SCALE=smoke|default|paper picks the parameters; EXECUTOR=tcp://host:8786 a Dask cluster."

setup: $(VENV)/.installed ## fill .venv, or conda's active environment tres, from requirements.lock

# The stamp is newer than both files as long as the environment matches them.
# mkdir makes only what is not there, so no environment but our own is ever removed.
$(VENV)/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	@! mkdir $(VENV) 2>/dev/null || $(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); echo "No virtual environment could be made. On Debian or Ubuntu: apt-get install python3-venv"; exit 1; }
	@$(RUN) -m pip --version > /dev/null 2>&1 || \
	  { echo "$(VENV) has no working pip. Install it there; or remove $(VENV), if nothing else needs it, and run make again."; exit 1; }
	@echo "Filling $(VENV) from requirements.lock takes some minutes, once."
	$(RUN) -m pip install --quiet --upgrade pip
	$(RUN) -m pip install --quiet --no-deps --require-hashes -r requirements.lock
	$(RUN) -m pip install --quiet -e '$(ALL)' # torch, and what only this system needs
	@touch $@

reproduce: setup ## run all chapters and write reports/index.html
	-@$(MAKE) --no-print-directory docs
	$(RUN) -m tres_book.study.notebooks --scale $(SCALE)

smoke: ## the same in a few minutes, with tiny figures, into reports/smoke
	@$(MAKE) reproduce SCALE=smoke

test: setup ## run all tests, and the examples of the docstrings
	$(RUN) -m pytest $(CORES)

quick: setup ## run the tests that are neither slow nor use the network; HOUSE=webs|lib|live|book: of a package
	$(RUN) -m pytest $(if $(HOUSE),tests/$(HOUSE) tres_$(HOUSE)) -q $(CORES) -m "not slow and not network"

lint: setup ## check style and types, and that no notebook is stored with outputs
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(VENV)/bin/nbstripout --verify notebooks/*.ipynb notebooks/*/*.ipynb
	$(RUN) -m mypy

lab: setup ## open JupyterLab on the notebooks
	$(RUN) -m jupyterlab --notebook-dir=.

report: setup ## run one chapter: make report NB=05-crawler-comparison
	@test -n "$(NB)" || { echo "Name a notebook: make report NB=05-crawler-comparison"; exit 1; }
	-@$(MAKE) --no-print-directory docs
	$(RUN) -m tres_book.study.notebooks --scale $(SCALE) --only $(NB)

docs: setup reports/docs/index.html ## build the documentation, reports/docs/index.html

# Without the network; mkdocs-material advertises its successor otherwise.
reports/docs/index.html: mkdocs.yml $(shell find docs -type f ! -name '*.pyc'; find $(HOUSES) -name '*.py' -o -name '*.pyi')
	NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --quiet

verify: setup ## make a random sample of the stored runs again: STUDY=table-3 N=1 SEED=0 NOTE=1
	$(RUN) -m tres_book.study verify $(STUDY) --runs $(or $(N),1) $(if $(SEED),--seed $(SEED)) $(if $(NOTE),--note)

rests: setup ## print the modules that a chapter rests on: make rests NB=10
	@$(RUN) -m tres_book.study rests $(or $(NB),10)

fuzz: setup ## try mutated answers, pages and files, and a soak: CASES=4000 FETCHES=20000
	$(RUN) -m pytest -q -s tests/fuzz.py tests/soak.py

bench: setup ## run the speed measurements
	@for script in benchmarks/*.py; do echo "== $$script"; $(RUN) $$script || exit 1; done

lock: ## write requirements.lock anew from pyproject.toml: all but torch, with hashes
	$(PYTHON) -m venv --clear build/lock
	build/lock/bin/python -m pip install --quiet --upgrade pip
	build/lock/bin/python -m pip install --quiet '$(ALL)'
	build/lock/bin/python -m pip freeze | grep -v -e ' @ ' -e '^torch==' > build/frozen.txt
	build/lock/bin/python -m pip install --quiet uv
	build/lock/bin/uv pip compile --quiet --no-deps --generate-hashes --no-header --no-annotate \
	  build/frozen.txt -o build/requirements.lock
	mv build/requirements.lock requirements.lock
	rm -rf build/lock

clean: ## remove what was made: build/ and reports/ (environments stay)
	rm -rf build reports
