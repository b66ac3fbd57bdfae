# SPDX-License-Identifier: MIT
# Builds sap-$(NAME) from *.c of its folder and of ../common, linked statically with libsap. BUILD, CC and CFLAGS work
# as in libsap's Makefile. Of libsap's private headers, it uses those without functions to link: bytes.h, clock.h.
PREFIX ?= /usr/local
DESTDIR ?=
BUILD ?= build
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
LIBSAP := ../libsap/build/libsap.a
ALL_CFLAGS := -std=c11 $(WARNINGS) -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -I. -I../common -I../libsap/include \
	-iquote ../libsap/src $(CFLAGS)

SOURCES := $(sort $(wildcard *.c)) $(sort $(wildcard ../common/*.c))
OBJECTS := $(addprefix $(BUILD)/,$(notdir $(SOURCES:.c=.o)))
HEADERS := $(wildcard *.h ../common/*.h ../libsap/include/*.h ../libsap/src/*.h)
vpath %.c . ../common

.PHONY: all install clean

all: $(BUILD)/sap-$(NAME)

$(BUILD):
	mkdir -p $@

$(BUILD)/%.o: %.c $(HEADERS) Makefile ../common/program.mk | $(BUILD)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/sap-$(NAME): $(OBJECTS) $(LIBSAP)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lm

$(LIBSAP):
	$(MAKE) -C ../libsap

install: all
	install -D $(BUILD)/sap-$(NAME) $(DESTDIR)$(PREFIX)/bin/sap-$(NAME)

clean:
	rm -rf $(BUILD)
