#!/bin/sh
# OpenCue: writes a file for cuecmd, with a command for each chunk of frames. OpenCue repeats a command that exits with
# a code other than 0; --resume keeps complete frames.
#   examples/farm/opencue.sh "render lights --size 1920x1080" 0 9999 /shared/out [CHUNK]
command=$1 first=$2 last=$3 out=$4 chunk=${5:-10}
while [ "$first" -le "$last" ]; do
    end=$((first + chunk - 1 < last ? first + chunk - 1 : last))
    printf '%s\n' "${TESLAPIPE:-teslapipe} $command --frames $first-$end --resume --threads 1 -o $out"
    first=$((end + 1))
done >"$out.cuecmd"
echo "written: $out.cuecmd"
echo "submit:  cuecmd $out.cuecmd --cores 1 --memory 1"
