#!/bin/sh
# OpenCue: a layer of frames in chunks, by cuecmd. #FRAME_START# and #FRAME_END# are the chunk's. OpenCue tries a frame
# again whose command does not exit with 0, and --resume keeps what is complete.
#   examples/farm/opencue.sh "render lights --size 1920x1080" 0 9999 /shared/out
command=$1 first=$2 last=$3 out=$4
printf '%s\n' "${TESLAPIPE:-teslapipe} $command --frames #FRAME_START#-#FRAME_END# --resume --threads 1 -o $out" \
    >"$out.cuecmd"
echo "written: $out.cuecmd"
echo "submit:  cuecmd -c 10 -n $first-$last $out.cuecmd"
