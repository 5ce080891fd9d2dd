# A front door to Meson: `make`, `make demo`, `make check` do all there is to do
# on a fresh machine, set-up included.
BUILD ?= build
PREFIX ?= /usr/local
# Seconds for each target of `make fuzz` and `make soak`.
SECONDS_EACH ?= 60

all: setup
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) --prefix=$(PREFIX)
	@ninja -C $(BUILD)

setup:
	@tools/setup build

setup-test:
	@tools/setup test

demo: all
	@tools/demo $(BUILD)

check: setup-test all
	@tools/run-tests $(BUILD)

bench: setup-test all
	@tools/bench $(BUILD)

# Whole stacks, beside perf's: the table of the README.
bench-stacks: setup-test all
	@tools/bench $(BUILD) stacks

fuzz: setup-test all
	@tools/fuzz $(SECONDS_EACH)

format:
	@tools/check-format --fix

# Real programs at work for SECONDS_EACH each, while probes come and go.
soak: setup-test all
	@SOAK_SECONDS=$(SECONDS_EACH) tools/run-tests $(BUILD) --only 'test/soak/*'

install: all
	meson install -C $(BUILD) --no-rebuild

clean:
	rm -rf $(BUILD)

.PHONY: all setup setup-test demo check bench bench-stacks fuzz soak format install clean
