// The page: scenes with their programs, the history of a pixel, lessons, links.
import { createEditor } from "./editor.js";
import { LESSONS } from "./lessons.js";
import { startMachine } from "./machine.js";
import { createSets } from "./sets.js";
import { createWarpView, wordText } from "./warp.js";

const $ = (id) => document.getElementById(id);
const state = { tab: "scenes", scene: "mandelbrot", size: [320, 240], time: 2.5, yaw: 0, pitch: 0, zoom: 1, wire: false, pixel: null, entry: -1, lesson: null };
const texts = {}; // of the user, by program file
let machine, editor, warp, sets, open = null, program = null, goalHash = null, playing = false, pending = 0;
const solved = new Set();

const status = (text) => { $("status").textContent = text; };

/* ---- words of the instruction sets ---- */

const wordLists = {};
function words(chip) {
    return (wordLists[chip] ??= (() => {
        const seen = new Map();
        for (const line of machine.call("web_instructions", chip).split("\n")) {
            const m = line.match(/^\| `([^`]+)` \| ([^|]*) \| (.*) \|$/);
            if (m && !seen.has(m[1])) seen.set(m[1], { label: m[1], detail: m[2].trim(), info: m[3], type: "keyword" });
        }
        for (const d of [".regs", ".attr", ".output", ".interpolants", ".const", ".primitive", ".vertices", ".shared", ".local"])
            seen.set(d, { label: d, detail: "directive", type: "namespace" });
        return [...seen.values()];
    })());
}

/* ---- picture ---- */

function draw() {
    if (!open) return false;
    const [w, h] = state.size, began = performance.now();
    const answer = machine.call("web_draw", w, h, state.time, state.yaw, state.pitch, state.zoom, state.wire ? 1 : 0);
    const canvas = $("picture");
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    if (answer.error) status(answer.error);
    canvas.getContext("2d").putImageData(machine.pixels(w, h), 0, 0);
    const hash = machine.text("web_hash");
    $("hash").textContent = hash;
    if (!answer.error) status(`${open.name}, ${open.chip}: ${(performance.now() - began).toFixed(0)} ms`);
    $("cross").hidden = true;
    judge(hash);
    return !answer.error;
}

function redraw() {
    if (pending) return;
    pending = requestAnimationFrame(() => { pending = 0; forgetPixel(); draw(); });
}

function play(now) {
    if (!playing) return;
    state.time = (state.time + Math.min(0.2, (now - (play.before ?? now)) / 1000)) % 10;
    play.before = now;
    $("time").value = state.time;
    forgetPixel();
    draw();
    requestAnimationFrame(play);
}

/* ---- scenes and programs ---- */

function openScene(name) {
    state.scene = name;
    $("scene").value = name;
    open = machine.call("web_open", name);
    if (open.error) { status(open.error); open = null; return false; }
    for (const p of open.programs) if (texts[p] !== undefined) machine.call("web_set_program", p, texts[p]);
    const bar = $("programs");
    bar.textContent = "";
    for (const p of open.programs) {
        const button = bar.appendChild(document.createElement("button"));
        button.textContent = p;
        button.dataset.program = p;
        button.onclick = () => showProgram(p);
    }
    const own = bar.appendChild(document.createElement("button"));
    own.textContent = "the file's text";
    own.onclick = () => editor.replace(original(program));
    showProgram(open.programs.findLast?.((p) => p.endsWith(".fp") && p.startsWith(name)) ?? open.programs.at(-1));
    return true;
}

const originals = {};
function original(name) {
    if (originals[name] === undefined) {
        const answer = machine.call("web_program_text", name);
        originals[name] = answer.text;
    }
    return originals[name];
}

function showProgram(name) {
    program = name;
    for (const b of $("programs").children) b.classList.toggle("on", b.dataset.program === name);
    if (texts[name] === undefined) original(name);
    editor.show(texts[name] ?? original(name));
    $("errors").textContent = "";
    markLane();
}

function changed(text) {
    if (state.lesson?.kernel) return runKernel(text);
    original(program);
    if (text === originals[program]) delete texts[program]; else texts[program] = text;
    const answer = machine.call("web_set_program", program, text);
    const errors = answer.errors ?? [];
    editor.mistakes(errors);
    $("errors").textContent = answer.error ?? errors.map((e) => `${program}:${e.line}:${e.column}: ${e.text}`).join("\n");
    if (!errors.length && !answer.error) redraw();
}

/* ---- a pixel ---- */

function forgetPixel() {
    state.pixel = null;
    state.entry = -1;
    lane = null;
    $("pixel").textContent = "";
    if (!state.lesson?.kernel) warp.hide();
    editor.marks([]);
}

function askPixel(x, y) {
    forgetPixel();
    if (pending) {
        cancelAnimationFrame(pending);
        pending = 0;
        draw();
    }
    state.pixel = [x, y];
    const answer = machine.call("web_pixel", x, y);
    if (answer.error) return status(answer.error);
    const canvas = $("picture"), box = canvas.getBoundingClientRect();
    $("cross").hidden = false;
    $("cross").style.left = `${((x + 0.5) / canvas.width) * box.width}px`;
    $("cross").style.top = `${((y + 0.5) / canvas.height) * box.height}px`;
    const cause = $("pixel").appendChild(document.createElement("p"));
    cause.className = "cause";
    cause.textContent = `pixel ${x},${y}: ${answer.cause}`;
    answer.history.forEach((e, i) => {
        const box = $("pixel").appendChild(document.createElement("div"));
        box.className = "entry";
        box.innerHTML = "<pre></pre>";
        box.firstChild.textContent = e.text.trim();
        if (!e.steps) return;
        const button = box.appendChild(document.createElement("button"));
        button.textContent = "values of this fragment, step by step";
        button.onclick = () => askEntry(i);
    });
    const last = answer.history.findLastIndex((e) => e.steps);
    if (last >= 0) askEntry(last);
}

let lane = null; // every step of the shown lane, and the program it runs
function askEntry(index) {
    const steps = machine.call("web_pixel_steps", index);
    if (steps.error) return status(steps.error);
    state.entry = index;
    [...$("pixel").querySelectorAll(".entry")].forEach((e, i) => e.classList.toggle("on", i === index));
    const file = open.programs.find((p) => steps.program.endsWith(p));
    lane = { steps: machine.call("web_lane", steps.lane), info: steps, file };
    if (file && file !== program) showProgram(file);
    warp.show(steps, 0);
    markLane();
}

// The value that the lane's instructions gave last, beside their lines.
function markLane(pc) {
    if (!lane || lane.file !== program) return;
    const code = machine.call("web_assemble", open.chip, program, editor.text());
    if (code.expanded || !code.lines) return; // lines of macros are not lines of the editor
    const at = new Map();
    for (const s of lane.steps) {
        const line = code.lines[(s.pc - code.base) / 4];
        if (line === undefined) continue;
        const m = at.get(line) ?? { line, count: 0, ran: 0, text: "", off: true };
        m.count++;
        if (s.runs) {
            m.ran++;
            m.off = false;
            if (s.set.length) m.text = s.set.map(([row, , after]) => `${lane.info.rows[row]} = ${wordText(after)}`).join("  ");
        }
        at.set(line, m);
    }
    for (const m of at.values()) {
        if (!m.ran) m.text = "not executed by this lane";
        else if (m.count > 1) m.text += `   (${m.ran} of ${m.count} turns)`;
        m.here = pc !== undefined && code.lines[(pc - code.base) / 4] === m.line;
    }
    editor.marks([...at.values()].sort((a, b) => a.line - b.line));
    const here = [...at.values()].find((m) => m.here);
    if (here) editor.scrollTo(here.line);
}

/* ---- lessons ---- */

function lessonList() {
    $("lesson-list").textContent = "";
    for (const l of LESSONS) {
        const button = $("lesson-list").appendChild(document.createElement("button"));
        button.textContent = l.title;
        button.className = `${l === state.lesson ? "on" : ""} ${solved.has(l.id) ? "done" : ""}`;
        button.dataset.lesson = l.id;
        button.onclick = () => openLesson(l);
    }
}

function openLesson(l) {
    state.lesson = l;
    goalHash = null;
    $("lesson-text").innerHTML = `<h2>${l.title}</h2><p>${l.text}</p><p><b>Task.</b> ${l.task}</p><p class="verdict no" id="verdict">not solved yet</p>`;
    lessonList();
    forgetPixel();
    $("goal").hidden = !!l.kernel;
    $("left").style.visibility = l.kernel ? "hidden" : "";
    if (l.kernel) {
        open = { programs: [], chip: "gt215", name: "kernel" };
        $("programs").textContent = "";
        const text = l.kernel.replace(l.find, l.mistake);
        editor.show(text);
        return runKernel(text);
    }
    for (const name of Object.keys(texts)) delete texts[name];
    state.time = l.time;
    $("time").value = l.time;
    Object.assign(state, { yaw: 0, pitch: 0, zoom: 1 });
    if (!openScene(l.scene)) return;
    draw();
    goalHash = $("hash").textContent;
    const goal = $("goal"), picture = $("picture");
    [goal.width, goal.height] = [picture.width, picture.height];
    goal.getContext("2d").drawImage(picture, 0, 0);
    showProgram(l.program);
    editor.replace(original(l.program).replace(l.find, l.mistake));
    editor.scrollTo(1);
}

function verdict(right) {
    const v = $("verdict");
    if (!v) return;
    v.className = `verdict ${right ? "yes" : "no"}`;
    v.textContent = right ? "Solved: every bit is as it should be." : "not solved yet";
    if (right && !solved.has(state.lesson.id)) { solved.add(state.lesson.id); lessonList(); }
}

// The goal was drawn first, from the same place.
function judge(hash) {
    if (state.lesson && !state.lesson.kernel && goalHash) verdict(hash === goalHash);
}

function runKernel(text) {
    const l = state.lesson;
    const answer = machine.call("web_assemble", "gt215", "cp", text);
    editor.mistakes(answer.errors);
    $("errors").textContent = answer.errors.map((e) => `${e.line}:${e.column}: ${e.text}`).join("\n");
    if (answer.errors.length) return verdict(false);
    const out = machine.call("web_grid", "gt215", text, 1, 64, l.input.map((v) => v.toString(16)).join(" "), 0);
    status(out.error ?? `g0[0] to g0[3]: ${out.words.slice(0, 4).join(" ")}; right: ${l.right[0]}`);
    if (out.steps) warp.show(machine.call("web_steps"), 0);
    verdict(!out.error && out.words.every((v, i) => v === l.right[i]));
}

/* ---- links ---- */

const base64 = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
async function pump(bytes, stream) {
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function writeLink() {
    const all = { ...state, lesson: state.lesson?.id ?? null, texts, at: warp.at(), kernel: state.lesson?.kernel ? editor.text() : undefined };
    const packed = await pump(new TextEncoder().encode(JSON.stringify(all)), new CompressionStream("deflate-raw"));
    location.hash = base64(packed);
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    status("the address of this page has the state now");
}

async function readLink() {
    const text = location.hash.slice(1);
    if (!text) return null;
    try {
        const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
        return JSON.parse(new TextDecoder().decode(await pump(bytes, new DecompressionStream("deflate-raw"))));
    } catch {
        status("the link is damaged");
        return null;
    }
}

/* ---- the page ---- */

function showTab(tab) {
    state.tab = tab;
    for (const b of document.querySelectorAll("nav button")) b.classList.toggle("on", b.dataset.tab === tab);
    $("lesson").hidden = tab !== "lessons";
    $("work").hidden = tab === "sets";
    $("compare").hidden = tab !== "sets";
    if (tab === "sets") { sets ??= createSets(machine, $("compare"), words); sets.open(); return; }
    warp.hide();
    if (tab === "lessons") { lessonList(); return openLesson(state.lesson ?? LESSONS[0]); }
    state.lesson = null;
    goalHash = null;
    $("goal").hidden = true;
    $("left").style.visibility = "";
    if (openScene(state.scene)) draw();
}

function listen() {
    for (const b of document.querySelectorAll("nav button")) b.onclick = () => showTab(b.dataset.tab);
    $("scene").onchange = () => { forgetPixel(); Object.assign(state, { yaw: 0, pitch: 0, zoom: 1 }); if (openScene($("scene").value)) draw(); };
    $("size").onchange = () => { state.size = $("size").value.split("x").map(Number); redraw(); };
    $("time").oninput = () => { state.time = Number($("time").value); redraw(); };
    $("wire").onchange = () => { state.wire = $("wire").checked; redraw(); };
    $("play").onclick = () => { playing = !playing; $("play").textContent = playing ? "Pause" : "Play"; play.before = undefined; if (playing) requestAnimationFrame(play); };
    $("share").onclick = writeLink;
    const canvas = $("picture");
    let from = null, moved = false;
    canvas.onpointerdown = (e) => { from = [e.clientX, e.clientY]; moved = false; canvas.setPointerCapture(e.pointerId); };
    canvas.onpointermove = (e) => {
        if (!from) return;
        const dx = e.clientX - from[0], dy = e.clientY - from[1];
        if (!moved && Math.hypot(dx, dy) < 4) return;
        moved = true;
        from = [e.clientX, e.clientY];
        state.yaw -= dx * 0.01;
        state.pitch += dy * 0.01;
        redraw();
    };
    canvas.onpointerup = (e) => {
        from = null;
        if (moved) return;
        const box = canvas.getBoundingClientRect();
        askPixel(Math.floor(((e.clientX - box.left) / box.width) * canvas.width), Math.floor(((e.clientY - box.top) / box.height) * canvas.height));
    };
    canvas.onwheel = (e) => { e.preventDefault(); state.zoom = Math.min(8, Math.max(0.1, state.zoom * Math.exp(e.deltaY * 0.001))); redraw(); };
}

async function begin() {
    machine = await startMachine();
    warp = createWarpView(machine, { moved: (now) => markLane(now.pc) });
    editor = createEditor($("editor"), { words: () => words(open?.chip ?? "gt215"), explain: (word) => machine.call("web_explain", open?.chip ?? "gt215", word), change: changed });
    for (const s of machine.call("web_scenes")) {
        if (s.name === "model") continue; // it needs an importer of model files
        const option = $("scene").appendChild(document.createElement("option"));
        option.value = option.textContent = s.name;
        option.title = s.description;
    }
    listen();
    const link = await readLink();
    if (link) {
        Object.assign(texts, link.texts);
        Object.assign(state, link, { lesson: LESSONS.find((l) => l.id === link.lesson) ?? null, pixel: null, entry: -1 });
        $("time").value = state.time;
        $("size").value = state.size.join("x");
        $("wire").checked = state.wire;
    }
    showTab(state.tab);
    if (link && state.tab === "scenes" && link.pixel) {
        askPixel(...link.pixel);
        if (link.entry >= 0 && link.entry !== state.entry) askEntry(link.entry);
        warp.go(link.at);
    }
    if (link?.kernel) editor.replace(link.kernel);
    window.page = { editor };
    window.ready = true;
}

begin().catch((e) => status(`the machine does not start: ${e.message}`));
