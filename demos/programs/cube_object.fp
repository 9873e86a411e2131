/* Painted things and brass in the cube map.  v: 1/w, world x y z, normal, r g b gloss. */
.include "common.macros"
.include "cube.macros"
.interpolants position=w smooth=10

    painted
    gamma
