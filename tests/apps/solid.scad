// A body with holes, for tests/apps/list: OpenSCAD's preview cuts them by OpenCSG, with stencil and depth.
difference() {
    union() {
        color("orange") cube(20, center = true);
        color("steelblue") translate([0, 0, 14]) cylinder(h = 12, r1 = 9, r2 = 4, $fn = 48);
    }
    for (turn = [[0, 0, 0], [90, 0, 0], [0, 90, 0]])
        rotate(turn) cylinder(h = 60, r = 5, center = true, $fn = 48);
}
translate([22, 0, 0]) intersection() {
    sphere(r = 10, $fn = 48);
    cube(15, center = true);
}
