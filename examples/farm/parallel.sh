#!/bin/sh
# GNU parallel: slices of frames on the machines of a list, over ssh. --joblog and --resume-failed repeat slices
# that are incomplete (exit code 3) or were cut off. The folder is shared; teslapipe is installed on all machines.
#   examples/farm/parallel.sh "render lights --size 1920x1080" 0 9999 /shared/out hosts.txt
#   hosts.txt: one line a machine, as 8/node17 (eight slices at a time)
command=$1 first=$2 last=$3 out=$4 hosts=${5:-}
slice=${SLICE:-10}
seq "$first" "$slice" "$last" | parallel ${hosts:+--sshloginfile "$hosts"} --joblog "$out.joblog" --resume-failed \
    --retries 3 --bar "${TESLAPIPE:-teslapipe} $command --threads 1 --resume -o $out \
    --frames {}-\$(({} + $slice - 1 < $last ? {} + $slice - 1 : $last))"
