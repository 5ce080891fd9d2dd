# A front door to Meson: `make`, `make demo`, `make check` do all there is to do
# on a fresh machine, set-up included.
BUILD ?= build
PREFIX ?= /usr/local
# Seconds for each fuzz target of `make fuzz`.
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

fuzz: setup-test all
	@tools/fuzz $(SECONDS_EACH)

format:
	@tools/check-format --fix

install: all
	meson install -C $(BUILD) --no-rebuild

clean:
	rm -rf $(BUILD)

.PHONY: all setup setup-test demo check bench fuzz format install clean
