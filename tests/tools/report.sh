#!/usr/bin/env bash
# teslapipe replay --html: the page is well-formed and has a section for every draw and program; every picture is a PNG
# file that exists; links have targets; counts and warnings are right.
# usage: report.sh. Ends in "N passed, N failed".
. "$(dirname "$0")/../checks"
program=${BUILD:-build}/teslapipe
streams=tests/golden/streams

# Checks that elements end where they should, and that the targets of links and pictures exist.
structure() { # folder of a report
    perl -0777 -e '
        my ($dir) = @ARGV;
        open(my $in, "<", "$dir/index.html") or die "no page\n";
        my $page = <$in>;
        my (@open, %id);
        $id{$1} = 1 while $page =~ /id="([^"]*)"/g;
        $page =~ s/<!DOCTYPE html>//;
        while ($page =~ /<(\/?)([a-z0-9]+)([^<>]*)>/g) {
            my ($end, $name, $rest) = ($1, $2, $3);
            next if $rest =~ m{/$};
            if (!$end) { push @open, $name; next }
            my $top = pop(@open) // "nothing";
            die "</$name> ends $top\n" if $top ne $name;
        }
        die "@open is left open\n" if @open;
        while ($page =~ /href="#([^"]*)"/g) { die "#$1 leads nowhere\n" unless $id{$1} }
        while ($page =~ /src="([^"]*)"/g) {
            open(my $png, "<", "$dir/$1") or die "$1 is missing\n";
            read($png, my $head, 8);
            die "$1 is no PNG\n" unless $head eq "\x89PNG\r\n\x1a\n";
        }
        $page =~ s/<[^<>]*>//g;
        die "a bare < or >\n" if $page =~ /[<>]/;
    ' "$1" 2>&1
}

for f in "$streams"/*.tpr demos/recordings/*.tpr; do
    name=$(basename "$f" .tpr)
    line=$("$program" replay "$f" --html "$folder/$name" 2>&1)
    check_text "$name" "$([ $? -eq 0 ] || echo "$line")"
    check_text "$name: structure" "$(structure "$folder/$name")"
    draws=$(echo "$line" | sed 's/.*: \([0-9]*\) draws.*/\1/')
    programs=$(echo "$line" | sed 's/.* \([0-9]*\) programs.*/\1/')
    check_text "$name: a section a draw" \
        "$([ "$(grep -c 'class="draw"' "$folder/$name/index.html")" = "$draws" ] || echo "not $draws")"
    check_text "$name: a section a program" \
        "$([ "$(grep -c 'class="program"' "$folder/$name/index.html")" = "$programs" ] || echo "not $programs")"
done

page() { # name, recording, text of one line
    check_text "$1" "$(grep -q -e "$3" "$folder/$2/index.html" || echo "no line with '$3'")"
}
page 'every fragment of the picture is counted' texture \
    '<td>0x07ffc0</td><td class="n">512</td><td class="n">16384</td><td>interp $r0 v\[0x0\]'
page 'a loop is gone through more often' flow 'class="n">[0-9]\{5,\}</td><td class="n">[0-9]\{5,\}</td>'
page 'textures are pictures' texture 'draw 1, fragment $t0: [0-9]*x[0-9]* '
page 'state by name' blend '<td>scissor 0</td>'
page 'blending by name' blend 'reverse subtract: one \* src, one \* dst'

"$program" replay tests/tools/tessellation.tpr --html "$folder/patches" >/dev/null 2>&1
check_text 'structure with patches' "$(structure "$folder/patches")"
page 'patches have a picture of their own' patches "<figcaption>patches: greatest level .* to red 4<"

# Patches in a target of 4 samples (tests/gl/patch_samples.c): the picture has all samples. The patches meet in the
# middle of pixel column 16, so the white outline between them is sample column 32, in every row.
"$program" replay tests/tools/patch_samples.tpr --html "$folder/samples" >/dev/null 2>&1
page 'patches of samples have a picture' samples "<figcaption>patches: greatest level .* to red 4<"
check_text 'the outline between two patches goes through pixels' "$(python3 - "$folder/samples/img$(
    sed -n 's/.*<img src="img\([^"]*\)" alt="patches.*/\1/p' "$folder/samples/index.html" | head -n 1)" 2>&1 <<'END'
import struct, sys, zlib
data, at, packed = open(sys.argv[1], "rb").read(), 8, b""
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    if kind == b"IHDR":
        width, height, _, color = struct.unpack(">IIBB", data[at + 8:at + 18])
    if kind == b"IDAT":
        packed += data[at + 8:at + 8 + size]
    at += 12 + size
raw, bytes_of = zlib.decompress(packed), {2: 3, 6: 4}[color]
above, i, wrong = [0] * width * bytes_of, 0, []
for y in range(height):
    how, row = raw[i], list(raw[i + 1:i + 1 + width * bytes_of])
    i += 1 + width * bytes_of
    for k in range(len(row)):
        a, b = row[k - bytes_of] if k >= bytes_of else 0, above[k]
        c = above[k - bytes_of] if k >= bytes_of else 0
        near = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
        row[k] = (row[k] + (0, a, b, (a + b) // 2, near)[how]) & 255
    white = [x for x in range(width) if row[bytes_of * x:bytes_of * x + 3] == [255] * 3]
    if white != [32]:
        wrong.append((y, white))
    above = row
print("" if (width, height) == (64, 64) and not wrong else (width, height, wrong[:3]))
END
)"
check_text 'no patches in other draws' "$(grep -q '<figcaption>patches' "$folder/blend/index.html" && echo found)"

"$program" replay "$streams/blend.tpr" --draw 2 --html "$folder/two" >/dev/null 2>&1
check_text 'up to a draw' "$([ "$(grep -c 'class="draw"' "$folder/two/index.html")" = 2 ] || echo 'not two')"
refuses 2 "" "$program" replay "$streams/blend.tpr" --draw 99 --html "$folder/none"
refuses 1 "" "$program" replay "$streams/blend.tpr" --html /no/such/folder
refuses 1 "" "$program" replay README.md --html "$folder/none"

checks_end
