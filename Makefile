# Two commands for newcomers: `make demo` and `make test`. Each does all the set-up it needs and says what it installs.

CARGO ?= cargo
PREFIX ?= $(HOME)/.cargo
# Where shells look for completions: the user's data folder for the default PREFIX, else that of PREFIX.
DATA ?= $(if $(filter $(HOME)/.cargo,$(PREFIX)),$(or $(XDG_DATA_HOME),$(HOME)/.local/share),$(PREFIX)/share)
MAN := $(PREFIX)/share/man/man1

.PHONY: help setup demo test lint generate install install-docs screens nightly bench bench-code bench-far bench-sandbox bench-town soak dist check-macos

help:
	@echo "make demo      build, and run a whole town in a temporary folder: three beads, two workers, one landed convoy"
	@echo "make test      build, and run all tests"
	@echo "make nightly   run what takes long: end-to-end tests on the release programs, large storms, random histories, mutants"
	@echo "make soak      run a town of 30 workers and 300 beads through every kind of trouble (docs/SOAK.md)"
	@echo "make install   install bd, gt, gtd and the keeper plugin in ~/.cargo/bin (or PREFIX/bin), with man pages and completions"
	@echo "make install-docs  install the man pages and completions only"
	@echo "make dist      build packages into dist/: archives, Debian, npm, Homebrew, checksums, SBOM (TARGETS='...')"
	@echo "make check-macos  check that the code compiles for macOS (rustup target add aarch64-apple-darwin)"
	@echo "make bench     measure bd from outside at 1k, 10k and 100k beads (BENCH='--other PATH' pairs another tracker)"
	@echo "make bench-town  measure what agents' hooks run, in a town with 10k beads"
	@echo "make bench-far  measure what a hundred workers on another machine cost the town"
	@echo "make bench-sandbox  measure a new sandbox of 50k files beside a linked worktree"
	@echo "make bench-code  measure the inner loops: records, merges, briefings"
	@echo "make lint      formatting and lints, as CI checks them"
	@echo "make screens   draw every view of the page into docs/screens/"
	@echo "make generate  rewrite completions/, man/, docs/FORMULAS.md, GT-COMPATIBILITY.md"

setup:
	@scripts/setup.sh

demo: setup
	@echo "building (a few minutes the first time) ..."
	$(CARGO) build --locked -p gt-cli -p gtd -p bd-cli
	$${CARGO_TARGET_DIR:-target}/debug/gt demo $(DEMO)

test:
	@scripts/setup.sh test
	@# Tests wait more than they compute, so each core runs two.
	RUST_TEST_THREADS=$${RUST_TEST_THREADS:-$$((2 * $$(getconf _NPROCESSORS_ONLN)))} $(CARGO) test --locked --workspace

nightly:
	@scripts/setup.sh test
	GASTOWN_TEST_BIN=$$(CARGO="$(CARGO)" scripts/release.sh) GASTOWN_E2E_FORGET=1 $(CARGO) test --locked -p town-tests --test e2e
	GASTOWN_STORM=full GASTOWN_TEST_BIN=$$(CARGO="$(CARGO)" scripts/release.sh bd) $(CARGO) test --locked -p town-tests --test crash -- --nocapture
	GASTOWN_HOSTS="15 40 600" GASTOWN_TEST_BIN=$$(CARGO="$(CARGO)" scripts/release.sh) $(CARGO) test --locked -p town-tests --test e2e -- --nocapture hosts_trouble
	GASTOWN_STORM=full $(CARGO) test --locked -p town-tests --test e2e -- --nocapture promises clones_law keeper_costs
	GASTOWN_TEST_BIN=$$(CARGO="$(CARGO)" scripts/release.sh) $(CARGO) test --locked -p town-tests --test e2e -- --include-ignored --nocapture open_requests
	GASTOWN_TEST_BIN=$$(CARGO="$(CARGO)" scripts/release.sh) $(CARGO) test --locked -p town-tests --test e2e -- --include-ignored --nocapture real_engines
	PROPTEST_CASES=2000 $(CARGO) test --locked -p bd-cli --test binary foreign_stores
	GASTOWN_SIM=10000 $(CARGO) test --locked -p town-sim
	PROPTEST_CASES=100 $(CARGO) test --locked -p gt --lib -- --include-ignored --nocapture mq::batch
	$(CARGO) test --locked -p gt --lib -- --include-ignored --nocapture record::polecat
	python3 tests/mutants.py

soak: setup
	GASTOWN_SOAK="$${GASTOWN_SOAK:-5 6 60 2400}" GASTOWN_TEST_BIN=$$(CARGO="$(CARGO)" scripts/release.sh) $(CARGO) test --locked -p town-tests --test soak -- --nocapture --test-threads 1

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	scripts/check-page.sh

screens:
	@scripts/setup.sh test
	$(CARGO) test --locked -p town-tests --test e2e -- --ignored dashboard::screens

generate:
	$(CARGO) run --locked --quiet -p town-tests --bin generate

install: setup
	@echo "building the release programs (some minutes) ..."
	mkdir -p $(PREFIX)/bin
	folder=$$(CARGO="$(CARGO)" scripts/release.sh) && install -m 755 "$$folder/bd" "$$folder/gt" "$$folder/gtd" "$$folder/gt-keeper" $(PREFIX)/bin
	@$(MAKE) --no-print-directory install-docs

install-docs:
	mkdir -p $(MAN) $(DATA)/bash-completion/completions $(DATA)/zsh/site-functions $(DATA)/fish/vendor_completions.d
	install -m 644 man/*.1 $(MAN)
	for program in bd gt gtd gt-keeper; do \
	    install -m 644 completions/$$program.bash $(DATA)/bash-completion/completions/$$program && \
	    install -m 644 completions/$$program.zsh $(DATA)/zsh/site-functions/_$$program && \
	    install -m 644 completions/$$program.fish $(DATA)/fish/vendor_completions.d/$$program.fish || exit 1; \
	done
	@echo "zsh reads $(DATA)/zsh/site-functions only if fpath in ~/.zshrc has it"

dist: setup
	CARGO="$(CARGO)" scripts/dist.sh $(TARGETS)

check-macos:
	CARGO="$(CARGO)" scripts/check-macos.sh

bench: setup
	@echo "building bd (some minutes) ..."
	folder=$$(CARGO="$(CARGO)" scripts/release.sh bd) && python3 tests/bench/run.py --bd "$$folder/bd" $(BENCH)

bench-town: setup
	@echo "building bd, gt and gtd (some minutes) ..."
	folder=$$(CARGO="$(CARGO)" scripts/release.sh bd gt gtd) && python3 tests/bench/town.py --programs "$$folder" $(BENCH)

bench-far: setup
	@echo "building bd, gt and gtd (some minutes) ..."
	folder=$$(CARGO="$(CARGO)" scripts/release.sh bd gt gtd) && python3 tests/bench/far.py --programs "$$folder" $(BENCH)

bench-sandbox: setup
	@echo "building bd and gt (some minutes) ..."
	folder=$$(CARGO="$(CARGO)" scripts/release.sh bd gt) && python3 tests/bench/sandbox.py --programs "$$folder" $(BENCH)

bench-code: setup
	$(CARGO) bench --locked -p bd --bench code
	$(CARGO) bench --locked -p gt --bench briefing
