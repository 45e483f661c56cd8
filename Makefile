# make setup | build | demo | check | bench | install | clean
# Wraps the packages (scripts/setup), CMake with Ninja, and ctest. The command is built at build/rheo.

BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2> /dev/null || echo 2)

# What the demo simulates and draws: well under two minutes on two idle cores, build included.
DEMO_CELLS ?= 64
DEMO_FRAMES ?= 60

configured := $(BUILD)/build.ninja

.PHONY: help setup configure build demo check bench install clean

help:
	@echo "make demo     install what is missing, build, simulate a dam break, leave demo/dam-break.mp4"
	@echo "make check    install what is missing, build, run all tests"
	@echo "make build    the command at $(BUILD)/rheo, the library beside it"
	@echo "make setup    install what is missing (Debian, Ubuntu; root or sudo)"
	@echo "make bench    measure speed beside this machine's bandwidth"
	@echo "make install  to PREFIX=$(PREFIX) (DESTDIR is honoured)"
	@echo "make clean    remove $(BUILD)/ and demo/"

setup:
	@scripts/setup

configure: setup
	@test -f $(configured) || cmake -B $(BUILD) -S . -G Ninja -DCMAKE_INSTALL_PREFIX=$(PREFIX) > $(BUILD).log 2>&1 \
	    || { cat $(BUILD).log >&2; rm -f $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log

build: configure
	@ninja -C $(BUILD) -j $(JOBS) rheo rheo_static rheo_shared

demo: configure
	@ninja -C $(BUILD) -j $(JOBS) rheo
	@mkdir -p demo
	@echo "simulating a dam break ($(DEMO_CELLS) cells a side, $(DEMO_FRAMES) frames)"
	@$(BUILD)/rheo run dam-break --cells $(DEMO_CELLS) --frames $(DEMO_FRAMES) --out demo/dam-break --overwrite
	@echo "drawing the pictures"
	@$(BUILD)/rheo movie demo/dam-break --output demo/dam-break.mp4 --sheet demo/contact-sheet.png
	@echo
	@echo "movie:          $(CURDIR)/demo/dam-break.mp4"
	@echo "contact sheet:  $(CURDIR)/demo/contact-sheet.png"
	@echo "meshes (PLY):   $(CURDIR)/demo/dam-break/mesh/"

check: configure
	@ninja -C $(BUILD) -j $(JOBS)
	@ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure

bench: build
	@$(BUILD)/rheo bench

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX) $(if $(V),,> /dev/null)
	@test -n "$(DESTDIR)" -o "$$(id -u)" -ne 0 || ldconfig
	@echo "installed in $(DESTDIR)$(PREFIX)"

clean:
	@rm -rf $(BUILD) demo
