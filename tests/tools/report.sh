#!/usr/bin/env bash
# teslapipe replay --html: the page is well formed, has a section for every draw and program, every
# picture it shows is a PNG file that is there, links lead somewhere, counts and warnings are right.
# usage: report.sh. Ends in "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
program=${BUILD:-build}/teslapipe
streams=tests/golden/streams
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
errors=$folder/errors
. tests/checks

# Elements that end where they should, links and pictures that exist.
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
check_text 'no patches in other draws' "$(grep -q '<figcaption>patches' "$folder/blend/index.html" && echo found)"

"$program" replay "$streams/blend.tpr" --draw 2 --html "$folder/two" >/dev/null 2>&1
check_text 'up to a draw' "$([ "$(grep -c 'class="draw"' "$folder/two/index.html")" = 2 ] || echo 'not two')"
refuses 2 "" "$program" replay "$streams/blend.tpr" --draw 99 --html "$folder/none"
refuses 1 "" "$program" replay "$streams/blend.tpr" --html /no/such/folder
refuses 1 "" "$program" replay README.md --html "$folder/none"

checks_end
