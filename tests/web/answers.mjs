// What each function of tools/web/ answers. Called by machine.mjs.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readPng } from "./png.mjs";

const LOOP = {
    gt215: "breakaddr #end\nturn: set $c0 # ge u32 $r1 $r0\n(lg $c0) break\nadd b32 $r1 $r1 0x1\nbra #turn\nend: exit nop\n",
    gf100: "prebrk #end\nturn: set $p0 0x1 ge u32 $r1 $r0\n$p0 brk\nadd b32 $r1 $r1 0x1\nbra #turn\nend: exit\n",
    g64: "PBK end\nturn: SETGE.U P0, R1, R0\n@P0 BRK\nADD R1, R1, 1\nBRA turn\nend: EXIT\n",
};

function programs({ call, text, check, draw }) {
    const scene = call("web_open", "mandelbrot");
    check("programs of mandelbrot", scene.programs.join() === "mandelbrot.vp,mandelbrot.fp", scene);
    draw(64, 48, 1);
    const right = text("web_hash"), file = call("web_program_text", "mandelbrot.fp");
    check("text of a program", file.text.includes("breakaddr #done") && !file.changed);
    const wrong = call("web_set_program", "mandelbrot.fp", file.text.replace("lg2 f32 $r3 $r3", "lg3 f32 $r3 $r3"));
    const line = file.text.split("\n").findIndex((l) => l.includes("lg2 f32 $r3 $r3")) + 1;
    check("a mistake has line and column",
        wrong.errors.length === 1 && wrong.errors[0].line === line && wrong.errors[0].column === 5, wrong);
    draw(64, 48, 1);
    check("a mistake changes no picture", text("web_hash") === right);
    const changed = call("web_set_program", "mandelbrot.fp", file.text.replace("$r2 3.0", "$r2 1.0"));
    draw(64, 48, 1);
    check("another program, another picture", !changed.error && !changed.errors.length && text("web_hash") !== right, changed);
    check("the text is kept", call("web_program_text", "mandelbrot.fp").changed);
    call("web_set_program", "mandelbrot.fp", "");
    draw(64, 48, 1);
    check("the file's program again", text("web_hash") === right);
}

function pixel({ call, check, draw, pixels }) {
    call("web_open", "mandelbrot");
    draw(64, 48, 1);
    const own = pixels(64, 48), at = (20 * 64 + 30) * 4, answer = call("web_pixel", 30, 20);
    const last = answer.history.at(-1);
    check("the history of a pixel", answer.cause.length > 0 && last?.entry && last.text.includes("mandelbrot.fp"), answer);
    check("a fragment has steps", last.steps === true);
    const steps = call("web_pixel_steps", answer.history.length - 1);
    check("steps of a fragment", steps.type === "fp" && steps.count > 10 && steps.steps.length === steps.count && steps.code.length > 20, steps);
    check("the pixel's lane", steps.lanes[steps.lane] === "pixel 30,20", steps.lanes);
    const lane = call("web_lane", steps.lane), red = new Float32Array(1);
    for (const s of lane)
        for (const [row, , after] of s.set)
            if (steps.rows[row] === "$r0" && s.runs) new Uint32Array(red.buffer)[0] = after;
    check("the lane's last $r0 is the pixel's red", Math.abs(red[0] * 255 - own[at]) < 0.51, [red[0], own[at]]);
    const middle = call("web_steps_at", 12), first = call("web_steps_at", 0), again = call("web_steps_at", 12);
    check("forwards and back", JSON.stringify(middle) === JSON.stringify(again) && first.at === 0 && middle.at === 12);
    check("no pixel outside", call("web_pixel", 64, 0).error.includes("64,0"));
    check("steps of a vertex", call("web_vertex_steps", "vp", 1, 1).type === "vp");
}

function sets({ call, text, check }) {
    for (const [chip, loop] of Object.entries(LOOP)) {
        const out = call("web_assemble", chip, "cp", loop);
        check(`${chip} assembles`, !out.errors.length && out.words.length >= 10 && out.lines.length === out.words.length, out);
        const words = out.words.map((w) => w.toString(16).padStart(8, "0")).join(" ");
        const back = call("web_disassemble", chip, "cp", words);
        const again = call("web_assemble", chip, "cp", back);
        check(`${chip} disassembles to the same words`, again.words?.join() === out.words.join(), back);
        const steps = call("web_warp", chip, "cp", loop, "l,0", 7);
        check(`${chip} runs the loop`, steps.count === 12 && steps.code[1].sentence.length > 10, steps);
        const end = call("web_steps_at", steps.count), r1 = end.rows[steps.rows.indexOf("$r1")];
        check(`${chip} counts`, r1.slice(0, 3).join() === "0,1,2", r1);
        check(`${chip} has sentences`, call("web_instructions", chip).split("\n").length > 30);
    }
    const macro = ".macro twice of\nadd b32 \\of \\of \\of\nadd b32 \\of \\of 1\n.endm\nmov b32 $r0 1\ntwice $r0\nexit nop\n";
    const places = call("web_assemble", "gt215", "cp", macro).places, pairs = places.filter((_, i) => i % 2 === 0).map((l, i) => `${l}<${places[2 * i + 1]}`);
    check("lines of macros and of their uses", [...new Set(pairs)].join() === "5<5,2<6,3<6,7<7", pairs);
    check("a sentence", call("web_explain", "gt215", "rcp").length > 10);
    check("no sentence", call("web_explain", "gt215", "pcr") === "");
    check("lanes wait while others run", (() => {
        const steps = call("web_warp", "gt215", "cp", LOOP.gt215, "l,0", 7);
        const at = call("web_steps_at", 5);
        return steps.steps[5][1] === 6 && at.stack.length === 1 && at.lanes[0].does !== at.lanes[1].does;
    })());
    const wrong = call("web_warp", "gt215", "cp", "nonsense\n", "", 7);
    check("a warp of a wrong text", wrong.error.includes("nonsense"), wrong);
    void text;
}

function grids({ call, check }) {


    const program = "cvt u32 $r0 u16 $r0l\nshl b32 $r0 $r0 0x2\nld b32 $r1 g0[$r0]\nadd b32 $r1 $r1 $r1\nst b32 g0[$r0] $r1\nexit nop\n";
    const words = Array.from({ length: 64 }, (_, i) => (i + 1).toString(16)).join(" ");
    const out = call("web_grid", "gt215", program, 1, 64, words, 40);
    check("a grid of one block", !out.error && out.words.every((w, i) => w === 2 * (i + 1)), out);
    check("steps of a thread", out.steps && call("web_steps_at", 1).at === 1);
    check("a grid without words", call("web_grid", "gt215", program, 1, 64, "", 0).error.length > 0);
}

// Recordings: pictures are those of the native command, if it was built.
function recordings({ call, module, check, pixels, native }) {
    const open = (path, bytes = readFileSync(path)) => {
        module.HEAPU8.set(bytes, module.ccall("web_receive", "number", ["number"], [bytes.length]));
        return call("web_open_recording", path);
    };
    const sphere = open("demos/recordings/sphere.tpr");
    check("a recording lists its draws", sphere.draws?.length === 2 && sphere.chip === "gt215" && sphere.sources, sphere);
    const first = call("web_show_draw", 1), fp = first.programs?.find((p) => p.type === "fp");
    check("a draw has programs with GLSL", first.width === 256 && fp.source.includes("mix(") && fp.code.length > 3, first);
    check("another draw is described", call("web_describe_draw", 2).programs.find((p) => p.type === "fp").source.includes("stripe"));
    const history = call("web_pixel", 128, 96);
    check("the draw that is shown stays", history.history.at(-1).entry.draw === 1, history);
    check("no such draw", call("web_show_draw", 3).error.includes("draw 3"));
    check("a cut recording", open("cut", readFileSync("demos/recordings/sphere.tpr").subarray(0, 9000)).cut === true);
    check("no recording", open("text", Buffer.from("text that is no recording, but is as long as a header")).error.includes("not a recording"));
    check("nothing is open then", call("web_pixel", 0, 0).error.includes("no pixel"));
    for (const path of native ? ["demos/recordings/sphere.tpr", "demos/recordings/lozenge.tpr", "tests/golden/streams/flow.tpr"] : []) {
        const draws = open(path).draws.length, own = call("web_show_draw", draws), folder = mkdtempSync(join(tmpdir(), "replay-"));
        execFileSync(native, ["replay", path, "-o", folder]);
        const right = readPng(join(folder, "color0.png")), rgba = pixels(own.width, own.height);
        let bad = right.width !== own.width || right.height !== own.height;
        for (let i = 0; i < rgba.length; i++) bad += (i & 3) !== 3 && rgba[i] !== right.rgba[i];
        check(`the picture of ${path}`, !bad, bad);
        rmSync(folder, { recursive: true });
    }
}

export async function answers(tools) {
    recordings(tools);
    programs(tools);
    pixel(tools);
    sets(tools);
    grids(tools);
}
