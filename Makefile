# SPDX-License-Identifier: MIT
# Only targets; the code is in lab/, scripts/ and tests/.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
LAB := $(VENV)/bin/lab
PYTHON := $(VENV)/bin/python

.PHONY: help lab test check docs site bench mutants test-all test-debug test-smp test-exercises soak nightly test-docker \
	test-fresh test-without-stacks wheel kernel kernel-debug kernel-edit kernel-patches rootfs images validation figures \
	clean bootstrap bootstrap-test
# one bootstrap at a time, also with -j
.NOTPARALLEL:

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

bootstrap:
	@scripts/bootstrap

bootstrap-test:
	@scripts/bootstrap test

ifdef EXERCISE
lab: bootstrap
	@scripts/exercise "$(EXERCISE)"
else
lab: bootstrap ## run the flagship, a download through two handoffs; or an exercise: make lab EXERCISE=hidden-node
	@$(LAB) run two-aps-handoff http/download
endif

test: bootstrap-test check ## run all tests
	@scripts/test

check: bootstrap ## check style, types, imports, shell scripts, kernel patches, generated files
	@scripts/check

docs: bootstrap ## run the commands in the documentation and the tests of docs/validation.md; compare the output
	@$(PYTHON) -m tests.shown && shown=0 || shown=$$?; \
		$(PYTHON) -m tests.validation --compare && exit $$shown

site: bootstrap ## build the documentation as a site with search, build/site/index.html; check its links
	@scripts/site

bench: bootstrap ## measure speed and memory (20 minutes; python -m bench: only the guest, a minute or two)
	@$(PYTHON) -m bench --long

N := 20
SEED := 1
mutants: bootstrap-test ## change N=20 lines drawn by SEED=1, one at a time, and list the changes that no test notices (hours)
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[mutants]'
	@$(PYTHON) -m bench.mutants --count $(N) --seed $(SEED)

test-fresh: bootstrap ## run make lab and make test in minimal Debian 12 and 13, as root and as a user (hours)
	@scripts/test-fresh

test-without-stacks: bootstrap-test ## run make test without each stack, and without all of them, in clones (an hour)
	@scripts/test-without-stacks

test-docker: bootstrap ## build the Docker image and check it, with its own Docker daemon if none runs
	@scripts/test-docker

validation: bootstrap ## measure the tables of docs/validation.md again, and write them
	@$(PYTHON) -m tests.validation

figures: bootstrap ## draw the figures of docs/experiments.md again (seconds; half an hour if no trial is stored)
	@$(PYTHON) -m tests.shown.pictures

test-all: bootstrap-test check ## run all tests, boot a guest for each run, remove each stack in a copy (nightly)
	@scripts/test --fresh
	@$(PYTHON) -m pytest --sweeps tests/unit/test_without_stacks.py

test-debug: bootstrap-test ## run KUnit and tests of the medium and the stacks on a kernel with lockdep, KASAN, UBSAN, kmemleak (nightly)
	@scripts/test-debug

test-smp: bootstrap-test ## run KUnit and a stress of the radios on four processors, in QEMU if it is installed (nightly)
	@scripts/test-smp

test-exercises: bootstrap ## mark reference and broken twins of each exercise, and the reference for five students (nightly)
	@$(LAB) doctor --grade
	@$(LAB) doctor --grade --students 5

soak: bootstrap ## run the shipped workloads under random faults of the host (12 minutes)
	@$(PYTHON) -m bench.soak

nightly: ## everything that is too slow for each change; a part that fails stops no other (hours)
	@$(MAKE) --no-print-directory --keep-going docs test-all test-exercises test-debug test-smp mutants soak

wheel: bootstrap ## pack the lab into dist/*.whl, which runs without the checkout
	@$(PYTHON) -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/*.whl

kernel: bootstrap ## build the guest's kernel
	@$(LAB) kernel

kernel-debug: bootstrap ## build a kernel with lockdep, KASAN, UBSAN, kmemleak
	@$(LAB) kernel --debug

kernel-edit: bootstrap ## unpack the guest's kernel as a git repository with the series applied
	@$(PYTHON) -m lab.builders.kernel.edit edit

kernel-patches: bootstrap ## write the parts of the kernel from the commits made there
	@$(PYTHON) -m lab.builders.kernel.edit patches

rootfs: bootstrap ## build the guest's root file system
	@$(LAB) rootfs

images: bootstrap ## build the images of nodes; where a Docker engine answers, also as Docker images
	@$(LAB) images --docker

clean: ## remove build results, caches and environment; keeps runs/
	@if [ -x $(LAB) ]; then $(LAB) clean; fi
	rm -rf $(VENV) build dist .ruff_cache .pytest_cache .import_linter_cache
