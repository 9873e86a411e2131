// The machine as WebAssembly: pictures of the scenes are the golden ones bit for bit, and each function that a page
// calls answers. usage: node machine.mjs MACHINE.js [SCENE...]. Ends in "N passed, N failed".
import { createRequire } from "node:module";
import { existsSync, readFileSync } from "node:fs";
import { readPng } from "./png.mjs";

const [path, ...only] = process.argv.slice(2);
const golden = new URL("../golden/", import.meta.url).pathname;
const threads = path.endsWith("threads.js") ? 3 : 1; // of the machine of this file
const module = await createRequire(import.meta.url)(path)({ wasmBinary: readFileSync(path.replace(/js$/, "wasm")), threads });
module.ccall("web_threads", null, ["number"], [threads]);
const native = [path.replace(/[^/]*\/[^/]*$/, "teslapipe")].find(existsSync); // the command of the same build
let passed = 0, failed = 0;

function check(name, right, detail) {
    right ? passed++ : failed++;
    if (!right) console.log(`FAILED: ${name}${detail === undefined ? "" : `: ${JSON.stringify(detail).slice(0, 400)}`}`);
}

function text(name, ...values) {
    return module.ccall(name, "string", values.map((v) => (typeof v === "string" ? "string" : "number")), values);
}

const call = (name, ...values) => JSON.parse(text(name, ...values));
const draw = (w, h, time) => call("web_draw", w, h, time, 0, 0, 0, 0);

function pixels(width, height) {
    const at = module.ccall("web_pixels", "number", [], []);
    return module.HEAPU8.slice(at, at + width * height * 4);
}

function scene(name) {
    const opened = call("web_open", name);
    check(`${name} opens`, !opened.error, opened.error);
    for (const [suffix, time] of [["", 2.5], ["-131x203", 1.5]]) {
        const file = `${golden}${name}${suffix}.png`;
        if (!existsSync(file)) continue;
        const right = readPng(file);
        const begin = Date.now(), answer = draw(right.width, right.height, time);
        const own = pixels(right.width, right.height);
        let bad = 0;
        for (let i = 0; i < own.length; i++) bad += (i & 3) !== 3 && own[i] !== right.rgba[i];
        check(`${name}${suffix}`, !answer.error && !bad, answer.error ?? `${bad} bytes differ`);
        if (process.env.TIMES) console.log(`${name}${suffix}: ${Date.now() - begin} ms`);
    }
}

for (const s of call("web_scenes")) if (!only.length || only.includes(s.name)) scene(s.name);
if (!only.length) await (await import("./answers.mjs")).answers({ call, text, check, draw, pixels, module, native });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
