#!/usr/bin/env bash
# The scripts of this folder, without making a root: arguments that they refuse, and a comparison of this system with
# itself. Environment: BUILD, CC.
. "$(dirname "$0")/../gl/both_drivers"
refused() { # words of the message, command...
    local words=$1
    shift
    "$@" >"$work/log" 2>&1
    check "$*: exit 2" [ $? -eq 2 ]
    check "$*: $words" grep -q -- "$words" "$work/log"
}
export ROOTS=$work/roots
refused "usage: root" tests/roots/root
if [ "$(id -u)" = 0 ]; then
    refused "there is no root sid" tests/roots/root run sid true
    refused "there is no command jump" tests/roots/root jump ''
fi
command -v python3 >/dev/null || { checks_end 1; exit; }
refused "no chip g99" tests/roots/mesas --chips g99 here
# A root shows the folders of the programs that it runs at the same paths, but keeps folders of its own.
touch "$work/program"
check "folders of programs" [ "$(python3 -B -c 'import sys; from importlib.machinery import SourceFileLoader as L
print(*L("mesas", "tests/roots/mesas").load_module().folders_of(sys.argv[1:]))' env /bin/true "$work/program" nothing "$work/none")" = "$work" ]
ls /usr/lib/*/dri/nouveau_dri.so >/dev/null 2>&1 || skip_all "Mesa's nouveau driver is not installed"
[ -x "$BUILD/teslapipe" ] || fail_all "$BUILD/teslapipe is missing"
mkdir -p "$work/shared/found" "$work/build"
ln -s "$BUILD/teslapipe" "$BUILD/libteslapipe-drm.so" "$work/build"
cat >"$work/shared/found/clears.c" <<'END'
#include <EGL/egl.h>
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    EGLDisplay d = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    GLuint f, r;
    unsigned char pixel[4] = {0};
    eglInitialize(d, NULL, NULL);
    eglBindAPI(EGL_OPENGL_API);
    eglMakeCurrent(d, NULL, NULL, eglCreateContext(d, NULL, NULL, NULL));
    glGenFramebuffers(1, &f);
    glBindFramebuffer(GL_FRAMEBUFFER, f);
    glGenRenderbuffers(1, &r);
    glBindRenderbuffer(GL_RENDERBUFFER, r);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 16, 16);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, r);
    glClearColor(1, getenv("OTHER") ? 1 : 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glReadPixels(3, 5, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    printf("%s %d %s\n", pixel[0] == 255 ? "PASS" : "FAIL", pixel[1], glGetString(GL_VERSION));
}
END
run() { env BUILD="$work/build" TESLAPIPE_SHARED="$work/shared" timeout 100 tests/roots/mesas "$@" >"$work/log" 2>&1; }
run --piglit none here
check "a table of this system's Mesa" [ $? -eq 0 ]
check "has the program" grep -q '^The same everywhere: clears$' "$work/log"
check "and is kept" [ -s "$work/build/mesas/gt215.md" ]
check "with what was said" grep -q '^PASS 0 .*Mesa' "$work/build/mesas/gt215-here-clears.txt"
run --diff here here -- "$work/build/mesas/programs/clears"
check "this system is as itself" [ $? -eq 0 ]
checks_end 0
