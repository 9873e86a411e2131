# teslapipe. `make` alone prints the targets and the variables (help, below).

CC      := $(if $(filter default,$(origin CC)),clang-19,$(CC))
SAN     ?=
# The processor that the build is for: amd64 or i386 (x86), or arm64.
HOST    := $(if $(filter aarch64,$(shell uname -m)),arm64,amd64)
ARCH    ?= $(HOST)
BUILD   ?= build$(if $(SAN),-san-$(SAN))$(if $(filter gcc%,$(notdir $(CC))),-gcc)$(if $(filter arm64,$(ARCH)),$(if $(filter arm64,$(HOST)),,-arm64))
PREFIX  ?= /usr/local
OPT     ?= -O2

WARN    := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-psabi -Wno-pass-failed
WARN    += -Wno-c2x-extensions # allows parameters without names, which are unused
# gcc does not know clang's pragmas, and does not see that an instance's key bounds its loops.
WARN    += $(if $(findstring gcc,$(notdir $(CC))),-Wno-unknown-pragmas -Wno-maybe-uninitialized)
# Debian 12's valgrind cannot read DWARF 5.
DEBUG   ?= -gdwarf-4
CFLAGS  += -std=gnu17 $(OPT) $(DEBUG) $(WARN) -I. -Iinclude -fPIC -pthread \
           -ffp-contract=off -fno-math-errno -fno-trapping-math -fvisibility=hidden
LDFLAGS += -pthread -Wl,--build-id
ifdef MORE_CFLAGS # further flags of a distribution's build
CFLAGS  += $(MORE_CFLAGS)
LDFLAGS += $(MORE_LDFLAGS)
endif
LDLIBS  := -lm -ldl
ifeq ($(SAN),1)
CFLAGS  += -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS += -fsanitize=address,undefined
LDLIBS  += -Wl,--no-as-needed -lstdc++ # the sanitizer must know the library before libassimp is opened
else ifeq ($(SAN),thread)
CFLAGS  += -fsanitize=thread -fno-omit-frame-pointer
LDFLAGS += -fsanitize=thread
endif

# ARCH=i386: the DRM library for 32-bit programs, at the base level and without native code (make i386).
ifeq ($(ARCH),i386)
NATIVE      := 0
SIMD_LEVELS := base
CFLAGS      += -m32 -msse2 -mfpmath=sse -D_FILE_OFFSET_BITS=64 -idirafter /usr/include/x86_64-linux-gnu
CFLAGS      += $(if $(findstring clang,$(notdir $(CC))),-Wno-atomic-alignment)
LDFLAGS     += -m32 -Wl,-z,defs
LDLIBS      += -l:libatomic.a # words of 64 bits that are not aligned
endif

# ARCH=arm64: the base level, whose vectors of four words become NEON, and no native code. On another processor
# a cross compiler builds, and qemu runs the programs of the build.
PKG_CONFIG ?= pkg-config
ifeq ($(ARCH),arm64)
NATIVE      := 0
SIMD_LEVELS := base
CFLAGS      += -fsigned-char
ifneq ($(HOST),arm64)
TRIPLET     := aarch64-linux-gnu
override CC := $(if $(findstring clang,$(notdir $(CC))),$(CC) --target=$(TRIPLET),$(TRIPLET)-gcc)
LD          := $(TRIPLET)-ld
OBJCOPY     := $(TRIPLET)-objcopy
STRIP       ?= $(TRIPLET)-strip
PKG_CONFIG  := $(TRIPLET)-pkg-config
RUN         := qemu-aarch64
endif
endif
OBJCOPY ?= objcopy

# An index beyond the end of an array stops the process, in the rooms that read input from outside: programs, command
# streams, ioctls, calls (clang; not in code that is compiled once per SIMD level).
CHECKED  = $(if $(SAN)$(filter-out api drm fifo shader tools,$(firstword $(subst /, ,$<))),,$(if \
           $(findstring clang,$(notdir $(CC))),-fsanitize=array-bounds -fsanitize-trap=array-bounds))

# Rooms, ground floor first; a test of tests/ROOM links its room and the rooms below it.
ROOMS   := base shader tex raster pipeline api fifo
# Compiled once per row of a table and SIMD level: so the compiler drops early the code that the row does not need.
# The base level of an amd64, and the web page, have no rows with MORE (tex/key.h).
ROW_SRC  := tex/kernel_simd.c
TEX_ROWS := $(shell sed -nE 's/^ +(MORE.X, |X.)([a-z0-9_]+),.*/\2/p' tex/kernel_rows.h)
TEX_ROWS_base := $(if $(filter amd64,$(ARCH)),$(shell sed -nE 's/^ +X.([a-z0-9_]+),.*/\1/p' tex/kernel_rows.h),$(TEX_ROWS))
TEX_ROWS_avx2 := $(TEX_ROWS)
TEX_ROWS_avx512 := $(TEX_ROWS)
# Compiled once per SIMD level (base/simd.h).
SIMD_SRC := $(filter-out $(ROW_SRC),$(wildcard shader/exec_alu.c shader/exec_memory.c shader/exec_special.c \
            shader/exec_fermi_int.c shader/exec_fermi_float.c shader/exec_fermi_double.c \
            shader/exec_fermi_memory.c shader/exec_fermi_atomics.c shader/exec_fermi_surface.c \
            shader/exec_fermi_special.c base/*_simd.c tex/*_simd.c raster/*_simd.c pipeline/*/*_simd.c))
SIMD_base   := $(if $(filter arm64,$(ARCH)),,-march=x86-64)
SIMD_avx2   := -march=x86-64-v3
SIMD_avx512 := -march=x86-64-v4 -mprefer-vector-width=512
SIMD_LEVELS ?= base avx2 avx512
ifneq ($(sort $(SIMD_LEVELS)),base)
ifneq ($(sort $(SIMD_LEVELS)),avx2 avx512 base)
$(error SIMD_LEVELS is "base" or "base avx2 avx512", not "$(SIMD_LEVELS)")
endif
endif
# These objects have functions and lines as debug information if DEBUG or SAN is set, else none: lines take 8 % of the
# compile time, variables a quarter. Their source uses vector types, so the search for vectors in loops is off, which
# would take up to 10 % of the time.
SIMD_FLAGS  := -fno-tree-slp-vectorize $(if $(SAN)$(filter-out file,$(origin DEBUG)),$(if $(filter -g0,$(DEBUG)),,-g1),-g0)
CFLAGS      += $(if $(filter-out base,$(SIMD_LEVELS)),,-DTP_BASE_ONLY)

# Native code: stencils, taken out of an object file of their own; clang only.
NATIVE  ?= $(if $(findstring clang,$(notdir $(CC))),1,0)
NO_OBJ  := $(ROW_SRC) shader/native/stencils.c shader/native/stencils_fermi.c shader/native/extract.c shader/native/slots.c
ifeq ($(NATIVE),1)
NO_OBJ  += shader/native/none.c
STENCIL_OBJ := $(foreach l,$(SIMD_LEVELS),$(BUILD)/obj/shader/native/stencils.$(l).o) $(BUILD)/obj/shader/native/slots.made.o
else
NO_OBJ  += $(filter-out shader/native/none.c,$(wildcard shader/native/*.c))
endif

ROW_OBJ  := $(foreach l,$(SIMD_LEVELS),$(TEX_ROWS_$(l):%=$(BUILD)/obj/tex/kernel_simd.%.$(l).o))

room_src  = $(filter-out $(NO_OBJ),$(wildcard $(1)/*.c $(1)/*/*.c))
room_obj  = $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out $(SIMD_SRC),$(room_src))) \
            $(foreach s,$(filter $(1)/%,$(SIMD_SRC)),$(foreach l,$(SIMD_LEVELS),$(BUILD)/obj/$(s:.c=).$(l).o)) \
            $(filter $(BUILD)/obj/$(1)/%,$(STENCIL_OBJ) $(ROW_OBJ))

# Stencils are compiled with flags of their own: a tool reads their code as data.
STENCIL_FLAGS := -std=gnu17 -O2 $(WARN) -I. -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-pic \
                 -mcmodel=small -ffunction-sections -fdata-sections -falign-functions=1 -mno-vzeroupper \
                 -fno-jump-tables -mstack-alignment=128 -fno-asynchronous-unwind-tables -fno-stack-protector \
                 -fomit-frame-pointer -fno-slp-vectorize -fcf-protection=none -mrelax-all -DTP_STENCIL

# The flags of this build folder. All objects depend on this file, whose date changes when the flags do: objects
# made with different CC, OPT, SAN, NATIVE or SIMD_LEVELS never meet in one folder.
FLAGS := $(CC) $(CFLAGS) $(LDFLAGS) / $(STENCIL_FLAGS) / NATIVE=$(NATIVE) SIMD_LEVELS=$(SIMD_LEVELS)
.PHONY: FORCE
$(BUILD)/flags: FORCE
	@mkdir -p $(@D); echo '$(subst ','\'',$(FLAGS))' | cmp -s - $@ || echo '$(subst ','\'',$(FLAGS))' >$@

LIB     := $(BUILD)/libteslapipe.a
SOLIB   := $(BUILD)/libteslapipe.so
BIN     := $(BUILD)/teslapipe
INTERACTIVE := $(BUILD)/teslapipe-interactive

DRMLIB  := $(BUILD)/libteslapipe-drm.so
KEEPLIB := $(BUILD)/libteslapipe-source.so
VERSION := $(shell sed -n 's/^\#define TP_VERSION "\(.*\)"/\1/p' include/teslapipe.h)

# Debian's names of all packages that builds and tests need; `make deps` installs the missing ones.
PACKAGES := clang-19 gcc clang-format-19 clang-tidy-19 libclang-rt-19-dev pkg-config libsdl2-dev libsdl2-ttf-dev fonts-dejavu-core libpng-dev libassimp-dev libedit-dev \
            libstb-dev libcmocka-dev libopenexr-dev libxxhash-dev libopenmpi-dev openmpi-bin ffmpeg xvfb xdotool libegl-dev libgl-dev libgbm-dev libdrm-dev \
            libegl1 libgl1-mesa-dri libglx-mesa0 mesa-utils xwayland libwayland-dev \
            wayland-protocols libxkbcommon-dev xkb-data libxcb1-dev libxcb-composite0-dev libx11-dev file xz-utils weston kmscube
# The packages for another processor: compiler, emulator, and the libraries that programs and tests are linked with.
ifneq ($(RUN),)
FOREIGN  := $(ARCH)
PACKAGES := clang-19 clang-format-19 pkg-config crossbuild-essential-arm64 qemu-user libopenexr-dev libwayland-bin wayland-protocols \
            fonts-dejavu-core xz-utils $(addsuffix :$(ARCH),libstb-dev libxxhash-dev libsdl2-dev libsdl2-ttf-dev libpng-dev libassimp-dev libedit-dev libcmocka-dev libopenexr-3-1-30 \
            libwayland-dev libxkbcommon-dev libxcb1-dev libxcb-composite0-dev libx11-dev libdrm-dev libegl-dev libgl-dev libgbm-dev)
endif

.SUFFIXES:
.SECONDARY:
.DEFAULT_GOAL := help
.PHONY: all
all: $(BIN) $(INTERACTIVE) $(SOLIB) $(LIB) $(DRMLIB) $(KEEPLIB) ## library, programs and DRM driver, into $(BUILD)/

define room_rule
$(BUILD)/$(1).a: $(call room_obj,$(1))
	@rm -f $$@; ar qcs $$@ $$^
endef
$(foreach r,$(ROOMS),$(eval $(call room_rule,$(r))))

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D); echo "CC $<"; $(CC) $(CFLAGS) $(CHECKED) $(CFLAGS_$(firstword $(subst /, ,$<))) -MMD -MP -c $< -o $@
# With checks for undefined behaviour each of these files would compile for over ten minutes with 6 GB, so they only have
# checks of addresses.
ifneq ($(filter 1,$(SAN))$(findstring fuzzer,$(OPT)),)
$(ROW_OBJ) $(foreach l,$(SIMD_LEVELS),$(BUILD)/obj/tex/backs_simd.$(l).o): LIGHT := -O1 -fno-sanitize=undefined
endif
define simd_rule
$(BUILD)/obj/%.$(1).o: %.c $(BUILD)/flags
	@mkdir -p $$(@D); echo "CC $$< ($(1))"; $(CC) $$(CFLAGS) $$(SIMD_FLAGS) $$(SIMD_$(1)) $$(LIGHT) -DTP_SIMD=$(1) -MMD -MP -c $$< -o $$@
$(BUILD)/obj/tex/kernel_simd.%.$(1).o: tex/kernel_simd.c $(BUILD)/flags
	@mkdir -p $$(@D); echo "CC $$< ($$*, $(1))"; $(CC) $$(CFLAGS) $$(SIMD_FLAGS) $$(SIMD_$(1)) $$(LIGHT) -DTP_SIMD=$(1) -DTEX_ROW=$$* -MMD -MP -c $$< -o $$@
endef
$(foreach l,$(SIMD_LEVELS),$(eval $(call simd_rule,$(l))))

TOOL_FLAGS := -std=gnu17 -O1 $(WARN) -I.
$(BUILD)/obj/tool/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D); echo "CC $<"; $(CC) $(TOOL_FLAGS) -MMD -MP -c $< -o $@
$(BUILD)/extract: $(BUILD)/obj/tool/shader/native/extract.o $(BUILD)/obj/tool/shader/native/x86.o
	@$(CC) -o $@ $^
$(BUILD)/slots: $(BUILD)/obj/tool/shader/native/slots.o
	@$(CC) -o $@ $^
$(BUILD)/obj/shader/native/slots.made.c: $(BUILD)/slots
	@mkdir -p $(@D); $< $@
$(BUILD)/obj/shader/native/slots.made.o: $(BUILD)/obj/shader/native/slots.made.c
	@$(CC) $(CFLAGS) -MMD -MP -c $< -o $@
define stencil_rule
$(BUILD)/obj/shader/native/code.$(1).o: shader/native/stencils.c $(BUILD)/flags
	@mkdir -p $$(@D); echo "STENCILS ($(1))"; $(CC) $$(STENCIL_FLAGS) -fdenormal-fp-math=preserve-sign $$(SIMD_$(1)) -DTP_SIMD=$(1) -MMD -MP -c $$< -o $$@
$(BUILD)/obj/shader/native/code_fermi.$(1).o: shader/native/stencils_fermi.c $(BUILD)/flags
	@mkdir -p $$(@D); echo "STENCILS Fermi ($(1))"; $(CC) $$(STENCIL_FLAGS) $$(SIMD_$(1)) -DTP_SIMD=$(1) -MMD -MP -c $$< -o $$@
$(BUILD)/obj/shader/native/code_flush.$(1).o: shader/native/stencils_fermi.c $(BUILD)/flags
	@mkdir -p $$(@D); echo "STENCILS flush ($(1))"; $(CC) $$(STENCIL_FLAGS) -fdenormal-fp-math=preserve-sign $$(SIMD_$(1)) -DSTENCIL_FLUSH -DTP_SIMD=$(1) -MMD -MP -c $$< -o $$@
$(BUILD)/obj/shader/native/code_bytes.$(1).o: shader/native/stencils.c $(BUILD)/flags
	@mkdir -p $$(@D); echo "STENCILS bytes ($(1))"; $(CC) $$(STENCIL_FLAGS) -fdenormal-fp-math=preserve-sign $$(SIMD_$(1)) -mavx512vbmi -mavx512vnni -DSTENCIL_BYTES -DTP_SIMD=$(1) -MMD -MP -c $$< -o $$@
# Registers get other names later, so every instruction has a prefix of three bytes, which can name each register.
$(BUILD)/obj/shader/native/strips_tesla.$(1).s: shader/native/stencils.c $(BUILD)/flags
	@mkdir -p $$(@D); echo "STENCILS strips ($(1))"; $(CC) $$(STENCIL_FLAGS) -fdenormal-fp-math=preserve-sign $$(SIMD_$(1)) -DSTENCIL_STRIPS -DTP_SIMD=$(1) -MMD -MP -S $$< -o $$@
	@sed -i 's/^\tv/\t{vex3} v/' $$@
$(BUILD)/obj/shader/native/strips_fermi.$(1).s: shader/native/stencils_fermi.c $(BUILD)/flags
	@mkdir -p $$(@D); echo "STENCILS Fermi strips ($(1))"; $(CC) $$(STENCIL_FLAGS) $$(SIMD_$(1)) -DSTENCIL_STRIPS -DTP_SIMD=$(1) -MMD -MP -S $$< -o $$@
	@sed -i 's/^\tv/\t{vex3} v/' $$@
$(BUILD)/obj/shader/native/strips_flush.$(1).s: shader/native/stencils_fermi.c $(BUILD)/flags
	@mkdir -p $$(@D); echo "STENCILS flush strips ($(1))"; $(CC) $$(STENCIL_FLAGS) -fdenormal-fp-math=preserve-sign $$(SIMD_$(1)) -DSTENCIL_STRIPS -DSTENCIL_FLUSH -DTP_SIMD=$(1) -MMD -MP -S $$< -o $$@
	@sed -i 's/^\tv/\t{vex3} v/' $$@
$(BUILD)/obj/shader/native/strips_%.$(1).o: $(BUILD)/obj/shader/native/strips_%.$(1).s
	@$(CC) -mrelax-all -c $$< -o $$@
$(BUILD)/obj/shader/native/stencils.$(1).c: $(BUILD)/obj/shader/native/code.$(1).o \
                                           $(if $(filter avx512,$(1)),$(BUILD)/obj/shader/native/code_bytes.$(1).o) \
                                           $(BUILD)/obj/shader/native/code_fermi.$(1).o \
                                           $(BUILD)/obj/shader/native/code_flush.$(1).o \
                                           $(if $(filter avx2,$(1)),$(foreach k,strips_tesla strips_fermi strips_flush,$(BUILD)/obj/shader/native/$(k).$(1).o)) $(BUILD)/extract
	@$(BUILD)/extract $(1) $$@ $$(filter-out $(BUILD)/obj/shader/native/strips_%,$$(filter %.o,$$^)) \
	    $$(if $$(filter $(BUILD)/obj/shader/native/strips_%,$$^),strips $$(filter $(BUILD)/obj/shader/native/strips_%,$$^))
$(BUILD)/obj/shader/native/stencils.$(1).o: $(BUILD)/obj/shader/native/stencils.$(1).c
	@$(CC) $(CFLAGS) -MMD -MP -c $$< -o $$@
endef
$(foreach l,$(SIMD_LEVELS),$(eval $(call stencil_rule,$(l))))

LIBOBJ = $(foreach r,$(ROOMS),$(call room_obj,$(r)))
$(LIB): $(LIBOBJ)
	@rm -f $@; ar qcs $@ $^
$(SOLIB): $(LIBOBJ) include/teslapipe.map
	@echo "LD $@"; $(CC) $(LDFLAGS) -shared -Wl,-soname,libteslapipe.so.0 \
	    -Wl,--version-script=include/teslapipe.map -o $@ $(LIBOBJ) $(LDLIBS)
DRMOBJ = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard drm/*.c))
$(DRMLIB): $(DRMOBJ) $(LIBOBJ)
	@echo "LD $@"; $(CC) $(LDFLAGS) -shared -o $@ $^ $(LDLIBS)
$(KEEPLIB): $(BUILD)/obj/drm/source/keep.o
	@echo "LD $@"; $(CC) $(LDFLAGS) -shared -o $@ $^ -ldl -pthread

# The program, twice: the small one needs libpng only; the interactive one has the commands that need a window or a
# line editor, too, and the libraries for them (tools/handoff.c). The library itself needs none of these.
APP_PKGS := wayland-server sdl2 SDL2_ttf libpng assimp libedit xkbcommon xcb xcb-composite
# Wayland protocols that the window speaks, from Debian's descriptions.
PROTOCOLS := stable/xdg-shell/xdg-shell unstable/linux-dmabuf/linux-dmabuf-unstable-v1 \
             unstable/xdg-decoration/xdg-decoration-unstable-v1 \
             unstable/relative-pointer/relative-pointer-unstable-v1 \
             unstable/pointer-constraints/pointer-constraints-unstable-v1
PROTOCOL_DIR = $(shell $(PKG_CONFIG) --variable=pkgdatadir wayland-protocols)
PROTOCOL_GEN := $(addprefix $(BUILD)/obj/protocol/,$(notdir $(PROTOCOLS)) wl-drm)
define protocol_rule
$(BUILD)/obj/protocol/$(notdir $(1)).h: $(2)/$(1).xml
	@mkdir -p $$(@D); wayland-scanner server-header $$< $$@
$(BUILD)/obj/protocol/$(notdir $(1)).c: $(2)/$(1).xml
	@mkdir -p $$(@D); wayland-scanner private-code $$< $$@
$(BUILD)/obj/protocol/$(notdir $(1)).o: $(BUILD)/obj/protocol/$(notdir $(1)).c $(BUILD)/flags
	@$(CC) $(OPT) $(DEBUG) -fPIC $(MORE_CFLAGS) -c $$< -o $$@
endef
$(foreach p,$(PROTOCOLS),$(eval $(call protocol_rule,$(p),$(PROTOCOL_DIR))))
$(eval $(call protocol_rule,wl-drm,window))
CFLAGS_window = $(CFLAGS_tools) -I$(BUILD)/obj/protocol
$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard window/*.c)): | $(PROTOCOL_GEN:=.h)

INTERACTIVE_SRC = tools/cmd_debug.c tools/cmd_view.c tools/gl_check.c tools/gl_window.c \
             $(wildcard tools/debugger*.c tools/view*.c window/*.c)
APPOBJ   = $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out $(INTERACTIVE_SRC) tools/handoff.c demos/first_triangle.c,\
             $(wildcard tools/*.c bench/*.c demos/*.c demos/scenes/*.c)))
INTERACTIVE_OBJ = $(patsubst %.c,$(BUILD)/obj/%.o,$(INTERACTIVE_SRC)) \
           $(BUILD)/obj/drm/turns.o $(BUILD)/obj/drm/files.o $(PROTOCOL_GEN:=.o)
# Sources define _GNU_SOURCE themselves, so the definition in the flags of Debian sid's SDL is left out.
# OpenEXR is opened at run time, and Debian's headers are the same for all processors.
CFLAGS_tools = $(filter-out -D_GNU_SOURCE%,$(shell $(PKG_CONFIG) --cflags $(APP_PKGS)) $(shell pkg-config --cflags OpenEXR)) $(if $(filter /%,$(BUILD)),-DTP_DATA_DIR='"$(CURDIR)/demos"')
CFLAGS_demos = $(CFLAGS_tools)
CFLAGS_bench = $(CFLAGS_tools)
$(BIN): $(APPOBJ) $(BUILD)/obj/tools/handoff.o $(LIB)
	@echo "LD $@"; $(CC) $(LDFLAGS) -o $@ $^ $$($(PKG_CONFIG) --libs libpng) $(LDLIBS)
$(INTERACTIVE): $(INTERACTIVE_OBJ) $(APPOBJ) $(LIB)
	@echo "LD $@"; $(CC) $(LDFLAGS) -o $@ $^ $$($(PKG_CONFIG) --libs $(filter-out assimp,$(APP_PKGS))) $(LDLIBS)
# The same commands on many processes, where MPI is installed (libopenmpi-dev).
MPI_FLAGS := $(shell $(PKG_CONFIG) --cflags ompi-c 2>/dev/null || $(PKG_CONFIG) --cflags ompi 2>/dev/null)
MPI_LIBS  := $(shell $(PKG_CONFIG) --libs ompi-c 2>/dev/null || $(PKG_CONFIG) --libs ompi 2>/dev/null)
MPIBIN    := $(if $(MPI_LIBS),$(if $(SAN),,$(BUILD)/teslapipe-mpi))
CFLAGS_mpi = $(CFLAGS_tools) $(patsubst -I%,-isystem %,$(MPI_FLAGS))
MPI_OBJ    = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard mpi/*.c)) \
             $(filter-out $(BUILD)/obj/tools/main.o,$(APPOBJ))
$(BUILD)/teslapipe-mpi: $(MPI_OBJ) $(BUILD)/obj/tools/handoff.o $(LIB)
	@echo "LD $@"; $(CC) $(LDFLAGS) -o $@ $^ $$($(PKG_CONFIG) --libs libpng) $(MPI_LIBS) $(LDLIBS)
all: $(MPIBIN)
$(BUILD)/first_triangle: $(BUILD)/obj/demos/first_triangle.o $(LIB)
	@echo "LD $@"; $(CC) $(LDFLAGS) -o $@ $^ $$($(PKG_CONFIG) --libs libpng) $(LDLIBS)
all: $(BUILD)/first_triangle
# The example whose programs are GLSL; tests/gl/glsl.sh makes its headers again and compares.
CFLAGS_examples = -Iexamples
$(BUILD)/glsl_mesh: $(BUILD)/obj/examples/glsl_mesh.o $(LIB)
	@echo "LD $@"; $(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
all: $(BUILD)/glsl_mesh

# Tests: tests/ROOM/name.c -> build/tests/ROOM_name, linked with its room and those below
# (a test of pipeline/ or fifo/ may set up its state through api/).
below_base     := base
below_shader   := shader base
below_tex      := tex base
below_raster   := raster shader base
below_pipeline := api pipeline raster tex shader base
below_api      := $(below_pipeline)
below_fifo     := fifo $(below_pipeline)
TEST_SRC := $(foreach r,$(ROOMS),$(wildcard tests/$(r)/*.c))
ifneq ($(NATIVE),1) # tests of native code
TEST_SRC := $(filter-out tests/shader/x86.c tests/shader/native.c tests/shader/native_code.c,$(TEST_SRC))
endif
test_name = $(subst /,_,$(patsubst tests/%.c,%,$(1)))
TESTS    := $(foreach t,$(TEST_SRC),$(BUILD)/tests/$(call test_name,$(t)))
define test_rule
$(BUILD)/tests/$(call test_name,$(1)): $(BUILD)/obj/$(1:.c=.o) $(foreach r,$(below_$(word 2,$(subst /, ,$(1)))),$(BUILD)/$(r).a)
	@mkdir -p $$(@D); $(CC) $(LDFLAGS) -o $$@ $$^ -lcmocka $(LDLIBS)
endef
$(foreach t,$(TEST_SRC),$(eval $(call test_rule,$(t))))
# The demo scenes, without the tools.
TESTS += $(BUILD)/tests/demos_order
$(BUILD)/tests/demos_order: $(BUILD)/obj/tests/demos/order.o $(filter $(BUILD)/obj/demos/%,$(APPOBJ)) $(LIB)
	@mkdir -p $(@D); $(CC) $(LDFLAGS) -o $@ $^ $$($(PKG_CONFIG) --libs libpng) -lcmocka $(LDLIBS)
# The simulation of N threads (bench/threads_model.c).
TESTS += $(BUILD)/tests/bench_threads_model
$(BUILD)/tests/bench_threads_model: $(BUILD)/obj/tests/bench/threads_model.o $(BUILD)/obj/bench/threads_model.o $(BUILD)/base.a
	@mkdir -p $(@D); $(CC) $(LDFLAGS) -o $@ $^ -lcmocka $(LDLIBS)
# Fuzz targets on their stored inputs.
FUZZERS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
TESTS += $(FUZZERS:%=$(BUILD)/tests/%)
$(BUILD)/tests/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(BUILD)/obj/tests/fuzz/corpus.o $(LIB)
	@mkdir -p $(@D); $(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# ---- targets ------------------------------------------------------------------------------------

# A target's help is the text behind ## in its line.
.PHONY: help
help: ## this text
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## /  make \1\t/p' Makefile | expand -t 25 | sed 's|$$(BUILD)|$(BUILD)|g'
	@printf '%s\n' '' 'Variables:' \
	    '  CC=gcc            another compiler; builds into build-gcc' \
	    '  SAN=1, SAN=thread sanitizers of addresses and undefined behaviour, or of threads' \
	    '  NATIVE=0          no native code of programs; native code needs clang' \
	    '  SIMD_LEVELS=base  one level in place of "base avx2 avx512": a short build' \
	    '  OPT=-O2           optimisation' \
	    '  DEBUG=-gdwarf-4   debug information; -g0: none' \
	    '  ARCH=arm64        for another processor, built into build-arm64; its tests are run by qemu-user, version 8 or newer (ALL=1: all ways to draw)' \
	    '  BUILD=build       the folder of all output; it is built again when the flags change' \
	    '  DEPS=no           install no packages'

# Installs those of PACKAGES that are missing, by apt-get. DEPS=no: dpkg is not asked, and nothing is installed.
DEPS ?= yes
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)
.PHONY: deps
deps: ## install missing Debian packages; demo, test and others do this first, but not with DEPS=no
	@[ "$(DEPS)" != no ] || exit 0; \
	command -v dpkg-query >/dev/null || { echo "No Debian: install the counterparts of PACKAGES (Makefile), then use DEPS=no"; exit 1; }; \
	missing=$$(for p in $(PACKAGES); do \
	    dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'install ok installed' || echo $$p; done); \
	if [ -n "$$missing" ]; then echo "Installing packages (DEPS=no: without):" $$missing; \
	    for a in $(FOREIGN); do $(SUDO) dpkg --add-architecture $$a || exit 1; done; \
	    $(SUDO) apt-get update -qq && \
	    DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends $$missing; fi

JOBS := $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
# Makes targets after deps has run.
SUBMAKE = $(MAKE) --no-print-directory $(JOBS)

.PHONY: demo
demo: deps ## the viewer with the demo scenes; without a display their pictures in $(BUILD)/gallery
	@$(SUBMAKE) all
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then $(BIN) view; else \
	    echo "No display: rendering the gallery to $(BUILD)/gallery"; \
	    $(BIN) render all --size 960x540 -o $(BUILD)/gallery; fi

.PHONY: test
test: deps ## all tests
	@$(SUBMAKE) all tests
	@BUILD=$(BUILD) SAN=$(SAN) CC="$(CC)" RUN="$(RUN)" ALL=$(ALL) $(if $(RUN),tests/emulated,tests/run) $(TESTS)

.PHONY: tests
tests: $(TESTS) ## the test programs, $(BUILD)/tests/ROOM_SUBJECT of tests/ROOM/SUBJECT.c, without running them

.PHONY: same
same: deps ## compare all results with those of another commit, bit for bit: BASE=<commit>
	@$(SUBMAKE) all
	@BUILD=$(BUILD) BASE=$(BASE) tests/same

.PHONY: check-format
check-format: deps ## layout of all sources, as clang-format makes it (a part of test)
	@tests/tree/format.sh

# A stamp for each file without a finding, made again when the file or its headers change; .clang-tidy lists the checks.
LINT := $(filter-out shader/native/stencils%,$(foreach r,$(ROOMS) drm tools bench demos window mpi examples,$(wildcard $(r)/*.c $(r)/*/*.c)))
LINT := $(filter-out $(if $(MPI_LIBS),,mpi/%) tools/web/% bench/gl43/%,$(LINT))
.PHONY: lint lint-all
lint: deps ## clang-tidy over the product
	@$(SUBMAKE) -k --output-sync lint-all; status=$$?; found=0; \
	for f in $(LINT:.c=); do [ -e $(BUILD)/lint/$$f ] || found=$$((found + 1)); done; \
	echo "lint: $(words $(LINT)) files, $$found with findings"; exit $$status
lint-all: $(LINT:%.c=$(BUILD)/lint/%)
$(BUILD)/lint/%: %.c .clang-tidy $(BUILD)/flags | $(PROTOCOL_GEN:=.h)
	@mkdir -p $(@D); rm -f $@; flags='$(CFLAGS) $(CFLAGS_$(firstword $(subst /, ,$<))) -DTP_SIMD=base $(if $(filter $(ROW_SRC),$<),-DTEX_ROW=general)'; \
	$(CC) $$flags -MM -MP -MT $@ -MF $@.d $< && clang-tidy-19 --quiet $< -- $$flags 2>/dev/null && touch $@

.PHONY: golden
golden: deps ## draw the pictures of the demo scenes for tests/golden anew
	@$(SUBMAKE) all
	@BUILD=$(BUILD) tests/golden/golden.sh --update

.PHONY: bench
bench: deps ## speed of the demo scenes, of the units and of the arithmetic
	@$(SUBMAKE) all
	@$(BIN) bench && $(BIN) bench units && $(BIN) bench alu

.PHONY: compare-gl43
compare-gl43: deps ## six workloads of OpenGL 4.3 on a GF108 and on llvmpipe: pictures, CPU time (bench/gl43)
	@$(SUBMAKE) all
	@BUILD=$(BUILD) CC=$(CC) bench/gl43/compare

.PHONY: compare-waits
compare-waits: deps ## workloads that wait or move bytes, on a GT215 and on llvmpipe: pictures, CPU time (bench/waits)
	@$(SUBMAKE) all
	@BUILD=$(BUILD) CC=$(CC) bench/waits/compare

.PHONY: compare-pixels
compare-pixels: deps ## workloads of long fragment programs, blending and filters, on a GT215 and on llvmpipe (bench/pixels)
	@$(SUBMAKE) all
	@BUILD=$(BUILD) CC=$(CC) bench/pixels/compare

.PHONY: compare-features
compare-features: deps ## one feature of OpenGL a workload: CPU time on a GT215 and on llvmpipe (bench/features; needs python3-moderngl)
	@$(SUBMAKE) all
	@BUILD=$(BUILD) bench/features/compare

.PHONY: compare-random
compare-random: deps ## random programs of GLSL on a GT215, on a GF108 and on llvmpipe: the same results (tests/random; needs python3-moderngl)
	@$(SUBMAKE) all
	@for c in gt215 gf108; do BUILD=$(BUILD) tests/random/compare --chip $$c; done

.PHONY: compare-calls
compare-calls: deps ## random transfers, vertex arrays, feedback, layers, pixel state and old OpenGL on a GT215, on a GF108 and on llvmpipe (tests/random; needs python3-numpy)
	@$(SUBMAKE) all
	@for c in gt215 gf108; do BUILD=$(BUILD) CC=$(CC) tests/random/compare-calls --chip $$c; done

.PHONY: compare-new
compare-new: deps ## the workloads of ../shared/bench with the llvmpipe of Debian's backports and with teslapipe, in turn
	@$(SUBMAKE) all
	@BUILD=$(BUILD) bench/compare-new

FUZZ_TIME ?= 60
.PHONY: fuzz fuzzers
fuzz: deps ## libFuzzer on tests/fuzz, each target for FUZZ_TIME=60 seconds; its inputs stay in build-fuzz
	@$(SUBMAKE) BUILD=build-fuzz OPT="-O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all" fuzzers
	@for f in $(FUZZERS); do mkdir -p build-fuzz/corpus/$$f; echo "== $$f"; \
	    build-fuzz/$$f -max_total_time=$(FUZZ_TIME) -timeout=60 -rss_limit_mb=2048 -print_final_stats=0 -verbosity=0 \
	        build-fuzz/corpus/$$f $$(ls -d tests/fuzz/corpus/$$f 2>/dev/null) || exit 1; done
fuzzers: $(foreach f,$(FUZZERS),$(BUILD)/$(f))
$(BUILD)/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(LIB)
	@$(CC) $(LDFLAGS) -fsanitize=fuzzer,address,undefined -o $@ $^ $(LDLIBS)

SOAK ?= shader_differential shader_sets_differential shader_sets_words
.PHONY: soak
soak: deps ## differential tests of all instruction sets (SOAK="names"), until one fails
	@$(SUBMAKE) $(SOAK:%=$(BUILD)/tests/%)
	@bash -c 'for t in $(SOAK); do TESLAPIPE_SOAK=1 $(BUILD)/tests/$$t & done; wait -n; s=$$?; kill $$(jobs -p); exit $$s'

ROOM ?= raster tex pipeline fifo shader drm
MUTANTS ?= 200
SEED ?= 1
.PHONY: mutants
mutants: deps ## plant small mistakes and list those that no test notices: ROOM=raster MUTANTS=200 SEED=1
	@$(SUBMAKE) all tests
	tests/mutants -n $(MUTANTS) -s $(SEED) $(ROOM)

.PHONY: piglit piglit-smoke
piglit-smoke: deps ## a short conformance list of the OpenGL driver on teslapipe
piglit: deps ## the whole conformance list of the OpenGL driver
piglit-smoke piglit:
	@$(SUBMAKE) all
	@BUILD=$(BUILD) tests/gl/piglit $(if $(filter piglit,$@),public,smoke)

.PHONY: apps
apps: deps ## installed programs of Debian on teslapipe and on llvmpipe, without a display: the same pictures
	@$(SUBMAKE) all
	@BUILD=$(BUILD) tests/apps/run

.PHONY: test-farm
test-farm: ## frames under a real Slurm on this machine (packages slurm-wlm, munge); as root, not a part of test
	@$(SUBMAKE) all
	@BUILD=$(BUILD) tests/farm/slurm

# Debian systems in folders beside the tree (tests/roots/root); as root, with debootstrap. Not a part of test.
.PHONY: test-releases
test-releases: ## make demo and make test in a fresh root of each supported release of Debian
	@tests/roots/releases

.PHONY: mesas
mesas: ## programs under every version of Mesa, from Debian 12's to unstable's, and what differs (tests/roots/mesas)
	@$(SUBMAKE) all
	@BUILD=$(BUILD) tests/roots/mesas

# 32-bit programs find this library through $LIB in LD_PRELOAD. The build needs Debian's libc6-dev-i386 and
# lib32gcc-12-dev (14 on Debian 13); at run time, programs need libgl1-mesa-dri:i386 with its dependencies.
.PHONY: i386
i386: $(DRMLIB) ## the DRM library for 32-bit programs
	@$(SUBMAKE) ARCH=i386 BUILD=$(BUILD)/i386 $(BUILD)/i386/libteslapipe-drm.so
	@mkdir -p $(BUILD)/lib/x86_64-linux-gnu $(BUILD)/lib/i386-linux-gnu
	@ln -sf ../../libteslapipe-drm.so $(BUILD)/lib/x86_64-linux-gnu/
	@ln -sf ../../i386/libteslapipe-drm.so $(BUILD)/lib/i386-linux-gnu/

# Man pages, a page a command, and completions: written by the program from the tables of --help.
COMMANDS = $(shell sed -n 's/^    X.\([a-z]*\), .*/\1/p' tools/main.c)
MANUALS = $(COMMANDS:%=$(BUILD)/man/teslapipe-%.1) $(BUILD)/man/teslapipe.1 $(BUILD)/man/teslapipe-mpi.1 \
          $(BUILD)/man/teslapipe-interactive.1 $(BUILD)/completion/teslapipe.bash $(BUILD)/completion/teslapipe.zsh
$(BUILD)/man/teslapipe-%.1: $(INTERACTIVE)
	@mkdir -p $(@D); $(RUN) $< help --man $* >$@.new && mv $@.new $@
$(BUILD)/man/teslapipe-mpi.1 $(BUILD)/man/teslapipe-interactive.1: $(BUILD)/man/%: docs/man/% include/teslapipe.h
	@mkdir -p $(@D); sed 's/VERSION/$(VERSION)/' $< >$@
$(BUILD)/man/teslapipe.1: docs/man/teslapipe.1 $(INTERACTIVE)
	@mkdir -p $(@D); $(RUN) $(INTERACTIVE) help --man >$@.list
	@sed -e '/^\.\\" COMMANDS/{' -e 'r $@.list' -e d -e '}' -e 's/VERSION/$(VERSION)/' $< >$@
$(BUILD)/completion/teslapipe.bash: tools/completion/teslapipe.bash $(INTERACTIVE)
	@mkdir -p $(@D); { $(RUN) $(INTERACTIVE) help --bash && cat $<; } >$@.new && mv $@.new $@
$(BUILD)/completion/teslapipe.zsh: tools/completion/teslapipe.zsh $(INTERACTIVE)
	@mkdir -p $(@D); { echo '#compdef teslapipe' && $(RUN) $(INTERACTIVE) help --zsh && cat $<; } >$@.new && mv $@.new $@
all: $(MANUALS)

# Sphinx and MyST (python3-sphinx, python3-myst-parser) make pages that can be searched without a network.
.PHONY: html
html: ## the documents as HTML pages, into $(BUILD)/html
	@rm -rf $(BUILD)/html $(BUILD)/html-source; mkdir -p $(BUILD)/html-source; cp -r *.md docs $(BUILD)/html-source/
	@TESLAPIPE_VERSION=$(VERSION) sphinx-build -q -b html -c docs/html -d $(BUILD)/html-source/trees \
	    $(BUILD)/html-source $(BUILD)/html

# The page (docs/web.md) and its machines: the interpreter, as WebAssembly with vectors of 128 bits. `machine` has one
# thread; `threads` is for pages that share memory with workers.
WEB := $(BUILD)/web
EMCC ?= emcc
WEB_FLAGS := -std=gnu17 -O2 -msimd128 -msse2 -I. -Iinclude -idirafter /usr/include -include tools/web/host.h -DTP_BASE_ONLY \
             -DTP_SIMD=base -ffp-contract=off -fno-math-errno -fno-trapping-math -fvisibility=hidden \
             -Wall -Wextra -Wno-psabi -Wno-unknown-pragmas -Wno-unused-but-set-variable -Wno-c2x-extensions
WEB_LINK := -O1 -msimd128 -Wl,--wrap=tp_program_from_file -sTOTAL_STACK=4194304 -sMODULARIZE=1 -sEXPORT_NAME=teslapipe \
            -sEXPORTED_RUNTIME_METHODS=ccall,HEAPU8 --embed-file demos/programs@/data/programs \
            --embed-file $(WEB)/model.bin@/data/models/balloon.glb $(foreach f,balloon_fabric balloon_wicker,\
            --embed-file demos/models/$f.png@/data/models/$f.png)
WEB_ALONE := -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=67108864 -sMAXIMUM_MEMORY=2147483648 -sENVIRONMENT=web,node
WEB_THREADS := -g1 -pthread -sINITIAL_MEMORY=1073741824 -sENVIRONMENT=web,worker,node -sPTHREAD_POOL_SIZE=Module.threads-1 -Wl,--wrap=pthread_create,--wrap=pthread_join
WEB_SRC = $(filter-out $(ROW_SRC) $(filter-out shader/native/none.c,$(wildcard shader/native/*.c)),\
          $(foreach r,base shader tex raster pipeline fifo api,$(wildcard $(r)/*.c $(r)/*/*.c))) \
          $(filter-out demos/first_triangle.c demos/assimp.c,$(wildcard demos/*.c demos/scenes/*.c)) \
          $(wildcard tools/web/*.c) demos/packed_model/reader.c $(addprefix tools/,history_text.c state_text.c recording.c sources.c)
WEB_MADE := $(shell find demos/programs -type f) $(WEB)/model.bin $(wildcard demos/models/*.png)
$(WEB)/flags: FORCE
	@mkdir -p $(@D); echo '$(WEB_FLAGS)' | cmp -s - $@ || echo '$(WEB_FLAGS)' >$@
$(WEB)/obj/%.o: %.c tools/web/host.h $(WEB)/flags
	@mkdir -p $(@D); echo "EMCC $<"; $(EMCC) $(WEB_FLAGS) -MMD -MP -c $< -o $@
$(WEB)/obj-threads/%.o: %.c tools/web/host.h $(WEB)/flags
	@mkdir -p $(@D); echo "EMCC $< (threads)"; $(EMCC) $(WEB_FLAGS) -pthread -MMD -MP -c $< -o $@
WEB_ROWS := $(TEX_ROWS_base:%=tex/kernel_simd.%.o)
$(WEB)/obj/tex/kernel_simd.%.o: tex/kernel_simd.c tools/web/host.h $(WEB)/flags
	@mkdir -p $(@D); echo "EMCC $< ($*)"; $(EMCC) $(WEB_FLAGS) -DTEX_ROW=$* -MMD -MP -c $< -o $@
$(WEB)/obj-threads/tex/kernel_simd.%.o: tex/kernel_simd.c tools/web/host.h $(WEB)/flags
	@mkdir -p $(@D); echo "EMCC $< ($*, threads)"; $(EMCC) $(WEB_FLAGS) -pthread -DTEX_ROW=$* -MMD -MP -c $< -o $@
# Linked with -O1: the optimizer of JavaScript, which -O2 would run, needs more of Debian's packages.
$(WEB)/machine.js: $(WEB_SRC:%.c=$(WEB)/obj/%.o) $(WEB_ROWS:%=$(WEB)/obj/%) $(WEB_MADE)
	@echo "LINK $@"; $(EMCC) -o $@ $(filter %.o,$^) $(WEB_LINK) $(WEB_ALONE)
$(WEB)/threads.js: $(WEB_SRC:%.c=$(WEB)/obj-threads/%.o) $(WEB_ROWS:%=$(WEB)/obj-threads/%) $(WEB_MADE)
	@echo "LINK $@"; $(EMCC) -o $@ $(filter %.o,$^) $(WEB_LINK) $(WEB_THREADS)
# The model of the scene as assimp gives it, so that the machine needs no importer of model files.
$(WEB)/model.bin: $(WEB)/model-writer demos/models/balloon.glb
	@$< demos/models/balloon.glb $@
$(WEB)/model-writer: demos/packed_model/writer.c demos/assimp.c demos/assimp.h demos/packed_model/packed_model.h
	@mkdir -p $(@D); $(CC) -std=gnu17 -O1 -I. -o $@ $(filter %.c,$^) -ldl

# package-lock.json has the versions of all packages that npm installs.
PAGE := $(wildcard tools/web/page/*)
$(WEB)/node_modules/stamp: tools/web/page/package.json tools/web/page/package-lock.json
	@mkdir -p $(WEB); cp $^ $(WEB)/; cd $(WEB) && npm ci --ignore-scripts --no-audit --no-fund && touch node_modules/stamp
$(WEB)/teslapipe.html: $(WEB)/machine.js $(WEB)/threads.js $(WEB)/node_modules/stamp $(PAGE)
	@node tools/web/page/build.mjs $(WEB)
.PHONY: web-deps web web-machine test-web
web-deps:
	@[ "$(DEPS)" != no ] || exit 0; missing=; \
	command -v emcc >/dev/null || missing="$$missing emscripten"; \
	command -v npm >/dev/null || missing="$$missing nodejs npm"; \
	[ -f /usr/include/assimp/cimport.h ] || missing="$$missing libassimp-dev"; \
	[ "$(WEB_TEST)" != 1 ] || command -v chromium >/dev/null || missing="$$missing chromium"; \
	if [ -n "$$missing" ]; then echo "Installing packages (DEPS=no: without):" $$missing; $(SUDO) apt-get update -qq && \
	    DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends $$missing; fi
web: web-deps ## the page $(BUILD)/web/teslapipe.html: the machine in a browser, without a server
	@$(SUBMAKE) $(WEB)/teslapipe.html
web-machine: web-deps ## the machines of the page without the page, $(BUILD)/web/machine.js, threads.js and .wasm
	@$(SUBMAKE) $(WEB)/machine.js $(WEB)/threads.js
test-web: ## the page in Chromium without a display, and the machine's pictures; not a part of test
	@$(MAKE) --no-print-directory WEB_TEST=1 web-deps
	@$(SUBMAKE) $(WEB)/teslapipe.html
	@BUILD=$(BUILD) bash tests/web/machine.sh && node tests/web/page.mjs $(WEB) && if [ -x $(BIN) ]; then \
	    $(BIN) bench teapot --frames 5 --threads 2 --timeline $(WEB)/timeline.json >/dev/null && node tests/web/timeline.mjs $(WEB)/timeline.json; fi

# Debian's packages, from a copy of the tracked files, into $(BUILD)/deb (debian/rules; needs debhelper, and
# Build-Depends of debian/control).
DEB := $(BUILD)/deb/teslapipe-$(VERSION)
.PHONY: deb
deb: ## build the Debian packages of this tree, into $(BUILD)/deb
	@rm -rf $(DEB); mkdir -p $(DEB); git ls-files -z | xargs -0 cp --parents -t $(DEB)
	@cd $(DEB) && $(if $(RUN),DEB_BUILD_PROFILES="cross pkg.teslapipe.nompi" DEB_BUILD_OPTIONS=nocheck) dpkg-buildpackage -us -uc \
	    $(if $(RUN),-B -a$(ARCH),-b) $(DEBFLAGS)
	@ls $(BUILD)/deb/*.deb

# The installed static library shows its public symbols only.
$(BUILD)/install/libteslapipe.a: $(LIBOBJ)
	@mkdir -p $(@D); rm -f $@; $(LD) -r -o $(@D)/teslapipe.o $^ && $(OBJCOPY) --localize-hidden $(@D)/teslapipe.o && \
	    ar qcs $@ $(@D)/teslapipe.o

# Debug information is three quarters of the programs' size; install-dbg puts it where debuggers look for it. Below
# PREFIX: LIBDIR for libraries (distributions: lib/x86_64-linux-gnu); libraries that programs preload are in
# LIBDIR/teslapipe.
STRIP ?= strip
LIBDIR ?= lib
TO = $(DESTDIR)$(PREFIX)
PRELOADS = $(LIBDIR)/teslapipe:$(BUILD) $(if $(wildcard $(BUILD)/i386/libteslapipe-drm.so),\
           lib/x86_64-linux-gnu/teslapipe:$(BUILD) lib/i386-linux-gnu/teslapipe:$(BUILD)/i386)
.PHONY: install install-dbg uninstall
install: all $(BUILD)/install/libteslapipe.a ## programs, library, headers, man pages, completions and data into PREFIX=/usr/local
	install -d "$(TO)/bin" "$(TO)/$(LIBDIR)/pkgconfig" "$(TO)/include" "$(TO)/share/teslapipe" "$(TO)/share/man/man1" \
	    "$(TO)/share/bash-completion/completions" "$(TO)/share/zsh/vendor-completions" \
	    "$(TO)/share/doc/teslapipe/examples/farm" "$(TO)/share/doc/teslapipe/examples/glsl"
	install -m 644 $(filter %.1,$(MANUALS)) "$(TO)/share/man/man1/"
	install -m 644 $(BUILD)/completion/teslapipe.bash "$(TO)/share/bash-completion/completions/teslapipe"
	install -m 644 $(BUILD)/completion/teslapipe.zsh "$(TO)/share/zsh/vendor-completions/_teslapipe"
	install -m 755 $(BIN) $(INTERACTIVE) $(MPIBIN) "$(TO)/bin/"
	install -m 644 $(BUILD)/install/libteslapipe.a "$(TO)/$(LIBDIR)/"
	install -m 755 $(SOLIB) "$(TO)/$(LIBDIR)/libteslapipe.so.0"
	ln -sf libteslapipe.so.0 "$(TO)/$(LIBDIR)/libteslapipe.so"
	for l in $(PRELOADS); do install -D -m 755 $${l#*:}/libteslapipe-drm.so "$(TO)/$${l%%:*}/libteslapipe-drm.so" && \
	    $(STRIP) --strip-unneeded "$(TO)/$${l%%:*}/libteslapipe-drm.so" || exit 1; done
	install -D -m 755 $(KEEPLIB) "$(TO)/$(LIBDIR)/teslapipe/libteslapipe-source.so"
	$(STRIP) --strip-unneeded "$(TO)/$(LIBDIR)/teslapipe/libteslapipe-source.so"
	for f in $(BIN) $(INTERACTIVE) $(MPIBIN); do $(STRIP) --strip-unneeded "$(TO)/bin/$${f##*/}" || exit 1; done
	$(STRIP) --strip-unneeded "$(TO)/$(LIBDIR)/libteslapipe.so.0"
	$(STRIP) --strip-debug "$(TO)/$(LIBDIR)/libteslapipe.a"
	install -m 644 include/teslapipe.h include/teslapipe_debug.h include/teslapipe_glsl.h "$(TO)/include/"
	install -m 644 examples/*.[ch] demos/first_triangle.c "$(TO)/share/doc/teslapipe/examples/"
	install -m 644 examples/farm/* "$(TO)/share/doc/teslapipe/examples/farm/"
	install -m 644 examples/glsl/* "$(TO)/share/doc/teslapipe/examples/glsl/"
	cp -r demos/programs demos/models "$(TO)/share/teslapipe/"
	printf 'prefix=%s\nlibdir=$${prefix}/$(LIBDIR)\nincludedir=$${prefix}/include\n\nName: teslapipe\nDescription: software GPU of the Tesla and Fermi generations\nVersion: %s\nLibs: -L"$${libdir}" -lteslapipe\nLibs.private: -lm -ldl -pthread\nCflags: -I"$${includedir}"\n' \
	    "$(if $(filter /%,$(PREFIX)),,$(CURDIR)/)$(PREFIX)" $(VERSION) > "$(TO)/$(LIBDIR)/pkgconfig/teslapipe.pc"
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || ldconfig || true
uninstall: ## remove the files that install put into PREFIX
	cd "$(TO)" && rm -f bin/teslapipe bin/teslapipe-interactive bin/teslapipe-mpi $(LIBDIR)/libteslapipe.* \
	    $(LIBDIR)/pkgconfig/teslapipe.pc include/teslapipe.h include/teslapipe_debug.h include/teslapipe_glsl.h share/man/man1/teslapipe*.1 \
	    share/bash-completion/completions/teslapipe share/zsh/vendor-completions/_teslapipe && \
	    rm -rf $(LIBDIR)/teslapipe lib/*-linux-gnu/teslapipe share/teslapipe share/doc/teslapipe
	for f in $(BIN) $(INTERACTIVE) $(MPIBIN) $(SOLIB) $(DRMLIB) $(KEEPLIB); do [ ! -e $$f ] || id=$$(readelf -n $$f | sed -n 's/.*Build ID: //p'); \
	    [ -z "$$id" ] || rm -f "$(TO)/lib/debug/.build-id/$$(echo $$id | cut -c 1-2)/$$(echo $$id | cut -c 3-).debug"; done
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || ldconfig || true
install-dbg: all ## debug information of what install installs, into PREFIX/lib/debug
	for f in $(BIN) $(INTERACTIVE) $(MPIBIN) $(SOLIB) $(DRMLIB) $(KEEPLIB); do \
	    id=$$(readelf -n $$f | sed -n 's/.*Build ID: //p') && d="$(TO)/lib/debug/.build-id/$$(echo $$id | cut -c 1-2)" && \
	    install -d "$$d" && $(OBJCOPY) --only-keep-debug $$f "$$d/$$(echo $$id | cut -c 3-).debug" || exit 1; done

.PHONY: clean
clean: ## remove all build folders
	rm -rf build build-*

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
