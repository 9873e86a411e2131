# Sourced by tests/gl/*.sh. both_drivers NAME [ARGUMENTS...] builds tests/gl/NAME.c, runs `NAME run ARGUMENTS OUT
# RENDERER` under llvmpipe and then under teslapipe as each chip, and adds up the verdicts of `NAME compare`. It ends in
# the line "N passed, N failed, N skipped". Environment: BUILD (build folder), CHIPS, CC.

skip_all() { # why
    echo "$1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

fail_all() { # why
    echo "$1"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
}

# Sets $compiled to the program of tests/gl/NAME.c, which is made anew if a source is newer.
compile() { # name, libraries and flags
    compiled=$BUILD/tests/gl/$1
    local name=$1 new
    shift
    [ -z "$(find tests/gl drm base -maxdepth 1 -name '*.[ch]' -newer "$compiled" 2>&1)" ] && return
    mkdir -p "$BUILD/tests/gl" && new=$(mktemp "$compiled.XXXXXX") || fail_all "cannot write into $BUILD"
    # a compiler's cache would leave a folder in a display's
    env -u XDG_RUNTIME_DIR ${CC:-cc} -std=gnu17 -O1 -Wall -Wextra -I. -rdynamic -o "$new" "tests/gl/$name.c" "$@" || {
        rm -f "$new"
        fail_all "$name.c does not compile"
    }
    chmod +x "$new" && mv "$new" "$compiled"
}

both_drivers() {
    local name=$1 work chip rc line passed=0 failed=0 skipped=0
    local -A renderer=([g80]=NV50 [g84]=NV84 [g200]=NVA0 [gt215]=NVA3)
    shift
    ls /usr/lib/*/dri/nouveau_dri.so >/dev/null 2>&1 || skip_all "Mesa's nouveau driver is not installed"
    [ -e /usr/include/EGL/egl.h ] && [ -e /usr/include/GL/glcorearb.h ] || skip_all "no EGL and OpenGL headers"
    [ -x "$BUILD/teslapipe" ] || fail_all "$BUILD/teslapipe is missing"
    work=$(mktemp -d) || exit 1
    # shellcheck disable=SC2064
    trap "rm -rf '$work'" EXIT
    compile "$name" -lEGL -lGL -lm
    # llvmpipe as exact as it goes: LOD per pixel, no shortcuts in it
    GALLIVM_PERF=no_brilinear,no_rho_approx,no_quad_lod EGL_PLATFORM=surfaceless LIBGL_ALWAYS_SOFTWARE=1 \
        GALLIUM_DRIVER=llvmpipe timeout 300 "$compiled" run "$@" "$work/reference" llvmpipe 2>"$work/log"
    rc=$?
    [ $rc -eq 77 ] && skip_all "$(tail -n 1 "$work/log")"
    [ $rc -eq 0 ] || fail_all "$name under llvmpipe: exit $rc, $(tail -n 1 "$work/log")"
    for chip in ${CHIPS:-gt215 g80 g84 g200}; do
        timeout 300 "$BUILD/teslapipe" gl --chip "$chip" -- "$compiled" run "$@" "$work/tried" \
            "${renderer[$chip]}" 2>"$work/log"
        rc=$?
        "$compiled" compare "$work/reference" "$work/tried" >"$work/verdicts"
        line=$(tail -n 1 "$work/verdicts")
        sed '$d' "$work/verdicts" | sed "s/^/$chip /"
        if [ $rc -ne 0 ]; then
            echo "$chip FAIL: exit $rc"
            tail -n 5 "$work/log"
            failed=$((failed + 1))
        fi
        passed=$((passed + $(sed -E 's/^([0-9]+) passed.*/\1/' <<<"$line")))
        failed=$((failed + $(sed -E 's/.* ([0-9]+) failed.*/\1/' <<<"$line")))
        skipped=$((skipped + $(sed -E 's/.* ([0-9]+) skipped.*/\1/' <<<"$line")))
    done
    echo "$passed passed, $failed failed, $skipped skipped"
    [ $failed -eq 0 ]
}
