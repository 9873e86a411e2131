# A helix as ribbon, sticks and a translucent surface, for tests/apps/list.
viewport 640, 480
fab ACDEFGHIKLMNPQRSTVWY, peptide, ss=1
hide everything
show cartoon
show sticks, resi 5-12
show spheres, resi 15-16
show surface, resi 1-8
set transparency, 0.4
spectrum count, rainbow
bg_color grey20
orient
