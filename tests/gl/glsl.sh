#!/usr/bin/env bash
# teslapipe glsl: the corpus's programs have the recorded machine code and state (glsl.c); the programs of
# glsl_shaders.txt draw the same pixels with the library as with the driver, bit for bit (glsl_driver.c,
# glsl_library.c); mistakes are reported with file and line. Environment: BUILD, CHIPS, CC.
. "$(dirname "$0")/both_drivers"
needs_headers EGL/egl.h GL/glcorearb.h
shared=${TESLAPIPE_SHARED:-$PWD/../shared}
errors=$work/errors
glsl=("$BUILD/teslapipe" glsl)
CC=${CC:-clang-19}
skipped=0

# ---- the corpus: the same machine code and state

compare_corpus() { # folder, chip
    local corpus=$shared/corpus name files capture
    for fragment in "$shared/$1"/*.fp.bin; do
        name=$(basename "$fragment" .fp.bin)
        files=("$corpus/$name.frag" "$corpus/default.vert")
        [ -f "$corpus/$name.vert" ] && files[1]=$corpus/$name.vert
        [ -f "$corpus/$name.geom" ] && files+=("$corpus/$name.geom")
        capture=()
        [ -f "$corpus/$name.tf" ] && capture=(--capture "$(sed 's/SEPARATE //; s/ /,/g' "$corpus/$name.tf")")
        "${glsl[@]}" "${files[@]}" --chip "$2" -o "$work/$2" --name "$name" "${capture[@]}" 2>"$errors" ||
            fail "$2 $name: exit $?"
    done
    "$BUILD/tests/gl/glsl" "$shared/$1" "$2" "$work/$2" >"$errors"
    check "$2: the corpus as recorded: $(tail -n 1 "$errors")" grep -q '^[1-9][0-9]* passed, 0 failed' "$errors"
}
"${glsl[@]}" examples/glsl/mesh.vert examples/glsl/mesh.frag --name mesh -o "$work/version" 2>"$errors"
check "the example compiles" [ -s "$work/version/mesh.h" ]
if [ -d "$shared/corpus" ] && grep -q 'Mesa 22\.3\.6' "$work/version/mesh.h"; then
    compile glsl "$BUILD/libteslapipe.a" -lm -ldl -pthread
    for chip in ${CHIPS:-gt215 g200 g80}; do
        declare -A corpora=([gt215]=corpus [g200]=corpus-a0 [g80]=corpus-50)
        [ -z "${corpora[$chip]:-}" ] || compare_corpus "${corpora[$chip]}" "$chip"
    done
else
    skipped=$((skipped + 1))
fi

# ---- the example's headers, if this version of the driver made them

for name in mesh shadow; do
    (cd examples/glsl && "${glsl[@]}" $name.vert $name.frag --name glsl_${name}_programs -o "$work/example") || fail "example $name"
    if diff -q <(head -n 1 "$work/example/glsl_${name}_programs.h") <(head -n 1 examples/glsl_${name}_programs.h) >/dev/null; then
        check "examples/glsl_${name}_programs.h is current" diff "$work/example/glsl_${name}_programs.h" examples/glsl_${name}_programs.h
    else
        skipped=$((skipped + 1))
    fi
done

# ---- the headers are valid C and C++

printf '#include <stdlib.h>\nint main() { return 0; }\n' >"$work/plain.cpp"
printf '#include <glsl_mesh_programs.h>\nint main() { tp_glsl_state s; return tp_glsl_create(nullptr, &glsl_mesh_programs_glsl, &s); }\n' \
    >"$work/header.cpp"
if $CC -x c++ -std=c++17 -fsyntax-only "$work/plain.cpp" 2>/dev/null; then
    check "the headers are C++" $CC -x c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -Iinclude -I"$work/example" "$work/header.cpp"
fi

# ---- the HTML page: names are links on both sides, everything else is escaped

(cd examples/glsl && "${glsl[@]}" mesh.vert mesh.frag --html -o "$work/page") 2>"$errors"
page=$work/page/mesh.html
names=(light_matrix shine picture normal in_light)
# another version of the driver may compile a program with captured varyings in another way
grep -q 'their names are not known' "$work/page/mesh.txt" && names=("${names[@]:0:4}")
for name in "${names[@]}"; do
    check "the page links $name in GLSL" grep -q "data-n=\"$name\">$name</span>.*;</span>$" "$page"
    check "the page links $name in machine code" grep -q "// .*data-n=\"$name\"" "$page"
done
check "the page has both programs" [ "$(grep -c '<section>' "$page")" = 2 ]
check "the page says that there are no line numbers" grep -q 'no line numbers' "$page"
check "the page escapes comparisons" grep -q 'y &lt;= 1' "$page"
if command -v xmllint >/dev/null; then
    check "the page is well-formed" xmllint --noout --html "$page" 2>"$errors"
fi

# ---- mistakes: file, line and column; exit code

complains() { # text, command...
    local text=$1
    shift
    "$@" >/dev/null 2>"$errors"
    check "exit 1 with '$text'" [ $? -eq 1 ]
    check "the message '$text'" grep -q -e "$text" "$errors"
}
printf '#version 330 core\nin vec4 p;\nout vec2 other;\nvoid main() {\n    gl_Position = p * missing;\n}\n' >"$work/wrong.vert"
sed 's/missing/0.5/; s/gl_Position/other = p.xy; &/' "$work/wrong.vert" >"$work/plain.vert"
printf '#version 330 core\nin vec3 other;\nout vec4 color;\nvoid main() { color = vec4(other, 1); }\n' >"$work/other.frag"
complains "^$work/wrong.vert:5:[0-9]*: error: .missing. undeclared" "${glsl[@]}" "$work/wrong.vert" "$work/other.frag" -o "$work/no"
complains "^link: error: .*other" "${glsl[@]}" "$work/plain.vert" "$work/other.frag" -o "$work/no"
refuses 1 "No such file" "${glsl[@]}" "$work/none.vert" "$work/other.frag" -o "$work/no"
refuses 2 "names of GLSL files end in" "${glsl[@]}" "$work/wrong.glsl" -o "$work/no"
refuses 2 "compute programs are written in assembly" "${glsl[@]}" "$work/wrong.comp" -o "$work/no"
refuses 2 "a .vert and a .frag file are needed" "${glsl[@]}" "$work/other.frag" -o "$work/no"
refuses 2 "no chip named gt999" "${glsl[@]}" "$work/plain.vert" examples/glsl/shadow.frag --chip gt999 -o "$work/no"
check "nothing is written after a mistake" [ ! -e "$work/no" ]

# ---- a draw of a recording: the same programs, without names

"$BUILD/teslapipe" gl --record "$work/frames.tpr" -- "$BUILD/teslapipe" glsl --inside "$work/facts" \
    vp=examples/glsl/mesh.vert fp=examples/glsl/mesh.frag 2>"$errors"
"${glsl[@]}" --from-recording "$work/frames.tpr" --draw 2 --name mesh -o "$work/draw" 2>"$errors"
for type in vp fp; do
    check "--from-recording: the same .$type" diff <(sed 's|//.*||; s/ *$//' "$work/draw/mesh.$type") \
        <(sed 's|//.*||; s/ *$//' "$work/example/glsl_mesh_programs.$type")
done
refuses 2 "has 3 draws, there is no draw 9" "${glsl[@]}" --from-recording "$work/frames.tpr" --draw 9 -o "$work/no"
refuses 1 "not a recording" "${glsl[@]}" --from-recording examples/glsl/mesh.vert -o "$work/no"

# ---- further programs: the same pixels

mesa=$(grep -m1 -o 'Mesa [0-9]*' "$work/version/mesh.h" | tr -dc 0-9)

# Writes NAME.frag ... for each section.
split_shaders() { # folder
    awk -v folder="$1" '/^#/ {next} /^=== / {name = $2; next}
        /^--- / {file = folder "/" name "." $2; print "#version " (name ~ /^p_/ ? 400 : 330) " core" >file; next} {print >file}' tests/gl/glsl_shaders.txt
}
draw_both() { # chip, name
    local tessellation=()
    local chip=$1 name=$2 extension files=("$work/shaders/$2.frag") stages=("fp=$work/shaders/$2.frag") vertex=$work/shaders/default.vert
    [ -f "$work/shaders/$name.vert" ] && vertex=$work/shaders/$name.vert
    files+=("$vertex") stages+=("vp=$vertex")
    [ -f "$work/shaders/$name.geom" ] && files+=("$work/shaders/$name.geom") stages+=("gp=$work/shaders/$name.geom")
    [ -f "$work/shaders/$name.tesc" ] && files+=("$work/shaders/$name.tesc") stages+=("tcp=$work/shaders/$name.tesc")
    [ -f "$work/shaders/$name.tese" ] && files+=("$work/shaders/$name.tese") stages+=("tep=$work/shaders/$name.tese") &&
        tessellation=("-DTESSELLATION=${name}_tessellation")
    "${glsl[@]}" "${files[@]}" --chip "$chip" --name "$name" -o "$work/out" >"$errors" 2>&1 &&
        "$BUILD/teslapipe" gl --chip "$chip" -- "$BUILD/tests/gl/glsl_driver" "$work/pixels" "${stages[@]}" >>"$errors" 2>&1 &&
        $CC -std=gnu11 -Wall -Wextra -Werror -Iinclude -include "$work/out/$name.h" -DGLSL="${name}_glsl" "${tessellation[@]}" \
            -o "$work/library" tests/gl/glsl_library.c -L"$BUILD" -lteslapipe -Wl,-rpath,"$BUILD" >>"$errors" 2>&1 &&
        "$work/library" "$chip" "$work/pixels" >>"$errors"
}
mkdir "$work/shaders" && split_shaders "$work/shaders"
compile glsl_driver -lEGL -lGL
ln -sf libteslapipe.so "$BUILD/libteslapipe.so.0"
for chip in ${CHIPS:-gt215 gf108}; do
    for fragment in "$work"/shaders/*.frag; do
        name=$(basename "$fragment" .frag)
        # a Fermi's ids count from the draw's first vertex (docs/glsl.md)
        [ "$chip $name" != "gf108 v_ids" ] || continue
        case $chip:$name in gf*) ;; *:p_*) continue ;; esac # patches
        case $mesa:$chip:$name in
        2[5-9]:g[t28]*sprite*) # this driver draws gl_PointCoord as 0 (docs/mesa-versions.md)
            draw_both "$chip" "$name"
            skipped=$((skipped + 1)) ;;
        *) check "$chip $name: the same pixels" draw_both "$chip" "$name" ;;
        esac
        case $chip:$name in
        g[t28]*sprite*) check "$chip $name: words of the point" grep -q '^.interpolants.* point=xy' "$work/out/$name.fp" ;;
        esac
    done
done
checks_end $skipped
