#!/bin/sh
# A Mesa developer's test job: runs a test command with a driver that was just built, on several chips of the Tesla
# generation, without any such board. gitlab-ci.yml beside this file calls the script.
#   mesa.sh [-o FOLDER] PREFIX COMMAND...    PREFIX: where `meson install` put Mesa; system: the installed driver
# Writes FOLDER/report.xml (JUnit), and recordings of failing tests to FOLDER/CHIP. Environment: CHIPS (g80,g84,...),
# TESLAPIPE (the program), RECORDINGS (a list of lines "HASH FILE" that must replay to their hashes), TIMEOUT (seconds).
set -eu
folder='teslapipe-ci'
if [ "$1" = -o ]; then
    folder=$2
    shift 2
fi
prefix=$1
shift
teslapipe=${TESLAPIPE:-teslapipe}
mkdir -p "$folder"

# ---- the driver
if [ "$prefix" = system ]; then
    driver=$(ls /usr/lib/"$(uname -m)"-linux-gnu/dri/nouveau_dri.so /usr/lib/dri/nouveau_dri.so /usr/lib64/dri/nouveau_dri.so 2>/dev/null | head -n 1)
else
    driver=$(ls "$prefix"/lib*/dri/nouveau_dri.so "$prefix"/lib*/*/dri/nouveau_dri.so 2>/dev/null | head -n 1)
fi
if [ -z "$driver" ]; then
    echo "mesa.sh: $prefix has no nouveau_dri.so; configure Mesa with -Dgallium-drivers=nouveau" >&2
    exit 2
fi
if [ "$prefix" != system ]; then
    LIBGL_DRIVERS_PATH=$(dirname "$driver")
    LD_LIBRARY_PATH=$(dirname "$LIBGL_DRIVERS_PATH")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LIBGL_DRIVERS_PATH LD_LIBRARY_PATH
    # libglvnd finds Mesa's EGL through this file, if Mesa was built with it.
    vendor=$prefix/share/glvnd/egl_vendor.d/50_mesa.json
    [ ! -e "$vendor" ] || export __EGL_VENDOR_LIBRARY_FILENAMES="$vendor"
    gbm=$(dirname "$LIBGL_DRIVERS_PATH")/gbm
    [ ! -d "$gbm" ] || export GBM_BACKENDS_PATH="$gbm"
fi
export MESA_SHADER_CACHE_DISABLE=true # each run compiles
echo "driver: $driver"
echo "teslapipe: $("$teslapipe" --version)"

# ---- recordings: the machine itself draws as it did
if [ -n "${RECORDINGS:-}" ]; then
    cut -d ' ' -f 2- "$RECORDINGS" | xargs "$teslapipe" replay --hash >"$folder/hashes"
    diff "$RECORDINGS" "$folder/hashes"
fi

# ---- the tests
"$teslapipe" ci --chips "${CHIPS:-all}" --junit "$folder/report.xml" -o "$folder" ${TIMEOUT:+--timeout "$TIMEOUT"} -- "$@"
