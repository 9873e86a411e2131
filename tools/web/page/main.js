// The page: scenes and recordings with their programs, the history of a pixel, lessons, links.
import { createEditor } from "./editor.js";
import { LESSONS } from "./lessons.js";
import { startMachine, unpack } from "./machine.js";
import { createRecording, EXAMPLE } from "./recording.js";
import { createSets } from "./sets.js";
import { createWarpView, wordText } from "./warp.js";

const $ = (id) => document.getElementById(id);
const state = { tab: "scenes", scene: "mandelbrot", size: [320, 240], time: 2.5, yaw: 0, pitch: 0, zoom: 1, wire: false, draw: 0, pixel: null, entry: -1, lesson: null };
const texts = {}; // the user's texts, by program file
let machine, editor, warp, sets, recording, open = null, program = null, goalHash = null, playing = false, pending = 0;
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
    if (open.recording) return recording.show(state.draw);
    const [w, h] = state.size, began = performance.now();
    const answer = machine.call("web_draw", w, h, state.time, state.yaw, state.pitch, state.zoom, state.wire ? 1 : 0);
    if (answer.error) status(answer.error);
    const hash = showPicture(w, h);
    if (!answer.error) tell(open, began);
    judge(hash);
    return !answer.error;
}

// The machine's picture; returns its hash.
function showPicture(w, h) {
    const canvas = $("picture");
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    canvas.getContext("2d").putImageData(machine.pixels(w, h), 0, 0);
    $("cross").hidden = true;
    return ($("hash").textContent = machine.text("web_hash"));
}

function tell({ name, chip }, began) {
    status(`${name}, ${chip}, ${machine.threads} thread${machine.threads > 1 ? "s" : ""}: ${(performance.now() - began).toFixed(0)} ms`);
}

function redraw() {
    if (pending) return;
    pending = requestAnimationFrame(() => { pending = 0; forgetPixel(); draw(); });
}

// Draws now if a frame was to be drawn later. A frame drawn later would end the steps of a warp.
function finishDrawing() {
    if (!pending) return;
    cancelAnimationFrame(pending);
    pending = 0;
    draw();
}

function setPlaying(on) {
    playing = on;
    $("play").textContent = on ? "Pause" : "Play";
    play.before = undefined;
    if (on) requestAnimationFrame(play);
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
    recording.hide();
    for (const p of open.programs) original(p); // before the user's texts replace them
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
    showStepper(name.split(".").at(-1));
    if (open.recording) {
        editor.show(recording.text(name), true);
        recording.showSource(name);
        return markLane();
    }
    if (texts[name] === undefined) original(name);
    editor.show(texts[name] ?? original(name));
    $("errors").textContent = "";
    markLane();
}

// Shows the field for the number of the vertex, primitive, patch or point whose warp is stepped.
function showStepper(stage) {
    $("stepper").hidden = stage === "fp" || !open.programs.length;
    $("stepper-what").textContent = stage === "vp" ? "vertex" : stage === "gp" ? "primitive" : "patch or point";
    $("stepper").dataset.stage = stage;
}

function stepNumber() {
    const answer = machine.call("web_vertex_steps", $("stepper").dataset.stage, Number($("stepper-number").value), 1);
    if (answer.error) return status(answer.error);
    showSteps(answer);
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
    if (open?.recording && state.pixel) recording.describe(0);
    state.pixel = null;
    state.entry = -1;
    lane = null;
    $("pixel").textContent = "";
    if (!state.lesson?.kernel) warp.hide();
    editor.marks([]);
}

function askPixel(x, y) {
    forgetPixel();
    finishDrawing();
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
    draws = answer.history.map((e) => e.entry.draw);
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

let draws = []; // the draws of the history's entries
let lane = null; // every step of the shown lane, and its program
function askEntry(index) {
    const steps = machine.call("web_pixel_steps", index);
    if (steps.error) return status(steps.error);
    state.entry = index;
    [...$("pixel").querySelectorAll(".entry")].forEach((e, i) => e.classList.toggle("on", i === index));
    if (open.recording) recording.describe(draws[index]);
    showSteps(steps);
}

// Shows the warp that the machine has recorded, and the lane's values beside its program.
function showSteps(steps) {
    const file = open.programs.find((p) => (open.recording ? p.endsWith(`.${steps.type}`) : steps.program.endsWith(p)));
    const start = machine.call("web_steps_at", 0).rows.map((row) => row[steps.lane]);
    lane = { steps: withResults(machine.call("web_lane", steps.lane), steps, start), info: steps, file };
    if (file && file !== program) showProgram(file);
    warp.show(steps, 0);
    markLane();
}

// Returns a function that maps an address to two lines in the editor: that of the instruction, and
// that which uses the instruction's macro or file.
function linesOfCode() {
    if (open.recording) return (pc) => recording.lineOf(program, pc);
    const { base, places } = machine.call("web_assemble", open.chip, program, editor.text());
    return places && ((pc) => { const i = (pc - base) / 2; return places[i] === undefined ? null : { line: places[i], outer: places[i + 1] }; });
}

// Returns the row of the result that an instruction's text names; -1: the result is no row.
function resultRow(text, rows) {
    const operand = text.replace(/^\([^)]*\)/, "").split(/\s+/).find((word) => /[$[]/.test(word)) ?? "";
    return rows.indexOf(operand.match(/^\$r\d+/)?.[0]);
}

// The machine reports no change if a result equals the previous value; the page shows such a result
// as a change.
function withResults(all, info, start) {
    const results = new Map(info.code.map((c) => [c.address, resultRow(c.text, info.rows)])), now = [...start];
    for (const s of all) {
        const row = results.get(s.pc) ?? -1;
        if (s.runs && row >= 0 && !s.set.some((set) => set[0] === row)) s.set.unshift([row, now[row], now[row]]);
        for (const [r, , after] of s.set) now[r] = after;
    }
    return all;
}

const assign = (info, [row, , after]) => `${info.rows[row]} = ${wordText(after)}`;

// Shows the last results of the lane beside the lines of its instructions. Beside the use of a
// macro stand all its results.
function markLane(pc) {
    if (!lane || lane.file !== program) return;
    const where = linesOfCode();
    if (!where) return;
    const at = new Map();
    const mark = (line) => at.get(line) ?? at.set(line, { line, count: 0, ran: 0, text: "", off: true, rows: new Map() }).get(line);
    for (const s of lane.steps) {
        const place = where(s.pc);
        if (!place) continue;
        if (place.outer !== place.line) {
            const m = mark(place.outer);
            m.macro = true;
            m.off &&= !s.runs;
            if (s.runs) for (const set of s.set) m.rows.set(set[0], assign(lane.info, set));
        }
        if (!place.line) continue;
        const m = mark(place.line);
        m.count++;
        if (!s.runs) continue;
        m.ran++;
        m.off = false;
        if (s.set.length) m.text = s.set.map((set) => assign(lane.info, set)).join("  ");
    }
    const here = pc === undefined ? null : where(pc);
    for (const m of at.values()) {
        if (m.macro) m.text = [...m.rows.values()].join("  ");
        if (m.off) m.text = "not executed by this lane";
        else if (!m.macro && m.count > 1) m.text += `   (${m.ran} of ${m.count} turns)`;
        m.here = here !== null && (here.line === m.line || here.outer === m.line);
    }
    editor.marks([...at.values()].sort((a, b) => a.line - b.line));
    if (here) editor.scrollTo(here.outer);
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
        recording.hide();
        open = { programs: [], chip: "gt215", name: "kernel" };
        $("programs").textContent = "";
        $("stepper").hidden = true;
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

// The picture of the right program was drawn before, from the same view.
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
    if (open?.recording && !open.example) return status("a recording stays on this machine: no link has it");
    const all = { ...state, sets: sets?.texts(), lesson: state.lesson?.id ?? null, texts, at: warp.at(), kernel: state.lesson?.kernel ? editor.text() : undefined };
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
    if (tab === "sets") {
        setPlaying(false);
        finishDrawing();
        forgetPixel();
        sets ??= createSets(machine, $("compare"), words, state.sets, warp);
        sets.open();
        return;
    }
    warp.hide();
    if (tab === "lessons") { lessonList(); return openLesson(state.lesson ?? LESSONS[0]); }
    state.lesson = null;
    goalHash = null;
    $("goal").hidden = true;
    $("left").style.visibility = "";
    if (state.scene === EXAMPLE ? openExample() : openScene(state.scene)) draw();
}

/* ---- recordings ---- */

const files = new Map([[EXAMPLE, null]]); // by name: the user's files, and the page's example

async function openFile(name, bytes) {
    if (!files.has(name)) {
        const option = $("scene").appendChild(document.createElement("option"));
        option.value = option.textContent = name;
    }
    files.set(name, bytes);
    if (state.tab !== "scenes") showTab("scenes");
    $("scene").value = name;
    openRecording(name);
}

function openRecording(name) {
    forgetPixel();
    const answer = recording.open(name, files.get(name));
    if (answer.error) { open = null; status(answer.error); return false; }
    Object.assign(state, { scene: name, draw: answer.draws.length });
    open = { name, chip: answer.chip, programs: [], recording: true, example: name === EXAMPLE };
    $("scene").value = name;
    return draw();
}

function openExample() {
    const draw = state.draw;
    if (!openRecording(EXAMPLE)) return false;
    if (draw) state.draw = draw;
    return true;
}

// Shows the programs of a draw as buttons, and first the fragment program.
function showRecorded(names) {
    open.programs = names;
    const bar = $("programs");
    bar.textContent = "";
    for (const p of names) {
        const button = bar.appendChild(document.createElement("button"));
        button.textContent = button.dataset.program = p;
        button.onclick = () => showProgram(p);
    }
    showProgram(names.find((p) => p.endsWith(".fp")) ?? names.at(-1) ?? "");
}

function listen() {
    for (const b of document.querySelectorAll("nav button")) b.onclick = () => showTab(b.dataset.tab);
    $("scene").onchange = () => { forgetPixel(); if (files.has($("scene").value)) return openRecording($("scene").value); Object.assign(state, { yaw: 0, pitch: 0, zoom: 1 }); if (openScene($("scene").value)) draw(); };
    $("size").onchange = () => { state.size = $("size").value.split("x").map(Number); redraw(); };
    $("time").oninput = () => { state.time = Number($("time").value); redraw(); };
    $("wire").onchange = () => { state.wire = $("wire").checked; redraw(); };
    $("play").onclick = () => setPlaying(!playing);
    $("share").onclick = writeLink;
    $("stepper-go").onclick = stepNumber;
    $("file").onchange = async () => { const f = $("file").files[0]; if (f) openFile(f.name, new Uint8Array(await f.arrayBuffer())); $("file").value = ""; };
    document.ondragover = (e) => e.preventDefault();
    document.ondrop = async (e) => { e.preventDefault(); const f = e.dataTransfer.files[0]; if (f) openFile(f.name, new Uint8Array(await f.arrayBuffer())); };
    const canvas = $("picture");
    let from = null, moved = false;
    canvas.onpointerdown = (e) => { from = [e.clientX, e.clientY]; moved = false; canvas.setPointerCapture(e.pointerId); };
    canvas.onpointermove = (e) => {
        if (!from || open?.recording) return;
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
    canvas.onwheel = (e) => { if (open?.recording) return; e.preventDefault(); state.zoom = Math.min(8, Math.max(0.1, state.zoom * Math.exp(e.deltaY * 0.001))); redraw(); };
}

async function begin() {
    machine = await startMachine();
    warp = createWarpView(machine, { moved: (now) => markLane(now.pc) });
    editor = createEditor($("editor"), { words: () => words(open?.chip ?? "gt215"), explain: (word) => machine.call("web_explain", open?.chip ?? "gt215", word), change: changed });
    files.set(EXAMPLE, await unpack("example"));
    recording = createRecording(machine, { programs: showRecorded, picture: showPicture, tell, chosen: (n) => { state.draw = n; forgetPixel(); draw(); } });
    for (const s of machine.call("web_scenes")) {
        const option = $("scene").appendChild(document.createElement("option"));
        option.value = option.textContent = s.name;
        option.title = s.description;
    }
    $("scene").append(new Option(EXAMPLE, EXAMPLE));
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
    window.page = { editor, machine, openFile };
    window.ready = true;
}

begin().catch((e) => status(`the machine does not start: ${e.message}`));
