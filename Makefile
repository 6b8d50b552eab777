# Two commands for newcomers: `make demo` and `make test`. Each does all the set-up it needs and says what it installs.

CARGO ?= cargo

.PHONY: help setup demo test lint generate install

help:
	@echo "make demo      build, and run a whole town in a temporary folder: three beads, two workers, one landed convoy"
	@echo "make test      build, and run all tests"
	@echo "make install   put bd, gt and gtd into ~/.cargo/bin"
	@echo "make lint      formatting and lints, as CI checks them"
	@echo "make generate  write completions/ and man/ anew"

setup:
	@scripts/setup.sh

demo: setup
	$(CARGO) build --quiet --locked -p gt -p gtd -p bd
	target/debug/gt demo $(DEMO)

test: setup
	$(CARGO) test --locked --workspace

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings

generate:
	$(CARGO) run --locked --quiet -p town-tests --bin generate

install: setup
	$(CARGO) install --locked --path bd
	$(CARGO) install --locked --path gt
	$(CARGO) install --locked --path gtd
