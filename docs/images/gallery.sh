#!/bin/sh
# Draws docs/images/gallery.png: the scenes of a Tesla, four in a row, each at four times the size and then
# scaled down. usage: docs/images/gallery.sh, with build/teslapipe and ffmpeg.
set -eu
cd "$(dirname "$0")/../.."
scenes='triangle teapot model mandelbrot checker grass explode wave lights shadow mirror deferred cube volume smoke nbody'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
i=0
for scene in $scenes; do
    [ $scene = nbody ] && time=4 || time=2.5 # later, when the clouds of bodies meet
    build/teslapipe render "$scene" --size 1272x716 --time $time -o "$folder" >/dev/null
    mv "$folder/$scene.png" "$folder/$(printf %02d $i).png"
    i=$((i + 1))
done
# a palette of 256 colours: the file is read with every visit to the page
ffmpeg -v error -y -i "$folder/%02d.png" -vf 'scale=318:179:flags=area,tile=4x4:padding=4:margin=0:color=0x10141c,
    split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=sierra2_4a' docs/images/gallery.png
