// The page in Chromium from a file: URL: load, draw, turn, edit, a mistake, a pixel, steps, a link, recordings, macros, three
// sets, all lessons solved; and from a server that lets it have threads. usage: node page.mjs FOLDER (with teslapipe.html);
// pictures of the page are written to FOLDER/shots.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { openPage } from "./chromium.mjs";
import { serve } from "./server.mjs";

const folder = resolve(process.argv[2]), url = `file://${folder}/teslapipe.html`;
let passed = 0, failed = 0;
function check(name, right, detail) {
    right ? passed++ : failed++;
    console.log(`${right ? "passed" : "FAILED"}: ${name}${right || detail === undefined ? "" : `: ${JSON.stringify(detail)}`}`);
}

const html = readFileSync(`${folder}/teslapipe.html`, "utf8");
check("nothing comes from a network", !/(src|href)=["']?https?:/.test(html));
const page = await openPage(url);
const { run, until } = page;
const shot = async (name) => {
    mkdirSync(`${folder}/shots`, { recursive: true });
    writeFileSync(`${folder}/shots/${name}.png`, await page.picture());
};
const hash = () => run("document.getElementById('hash').textContent");
const box = (selector) => run(`(() => { const b = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()`);
const press = (selector) => run(`document.querySelector(${JSON.stringify(selector)}).click()`);
const text = (selector) => run(`document.querySelector(${JSON.stringify(selector)}).textContent`);
// Selects the text in the editor, and types another text over it.
async function edit(from, to) {
    const found = await run(`(() => { const e = window.page.editor.view;
        const at = e.state.doc.toString().indexOf(${JSON.stringify(from)});
        if (at < 0) return false;
        e.dispatch({ selection: { anchor: at, head: at + ${from.length} } }); e.focus(); return true; })()`);
    if (!found) throw new Error(`the editor has no ${from}`);
    await page.type(to);
}

// A sentence for the opcode under the mouse; completion of a word; the file's own text.
async function helpers(right) {
    const [x, y] = await run(`(() => { const e = window.page.editor.view, at = e.state.doc.toString().indexOf("breakaddr");
        const c = e.coordsAtPos(at + 3); return [c.left, (c.top + c.bottom) / 2]; })()`);
    await page.mouse("mouseMoved", x - 1, y, { button: "none", buttons: 0 });
    await page.mouse("mouseMoved", x, y, { button: "none", buttons: 0 });
    await until("document.querySelector('.cm-tip') !== null", "a sentence under the mouse", 20);
    check("the opcode under the mouse has a sentence", /breakaddr/.test(await text(".cm-tip")), await text(".cm-tip"));
    await edit("mov b32 $r8 256.0", "mov b32 $r8 256.0\n    rsq");
    await until("document.querySelector('.cm-tooltip-autocomplete') !== null", "completion", 20);
    check("words are completed", /rsqrt/.test(await text(".cm-tooltip-autocomplete")), await text(".cm-tooltip-autocomplete"));
    await edit("\n    rsq", "");
    await run("[...document.querySelectorAll('#programs button')].at(-1).click()");
    await until(`document.getElementById('hash').textContent === '${right}'`, "the file's text again");
    check("the file's text gives its picture", true);
    await edit("mul f32 $r2 $r2 3.0", "mul f32 $r2 $r2 1.5");
    await until(`document.getElementById('hash').textContent !== '${right}'`);
}

async function scenes() {
    await page.open(url);
    await until("window.ready === true", "the machine starts");
    const first = await hash();
    check("a scene is drawn", /^[0-9a-f]{16}$/.test(first), first);
    const [x, y, w, h] = await box("#picture");
    await page.mouse("mousePressed", x + 100, y + 100);
    for (let i = 1; i <= 4; i++) await page.mouse("mouseMoved", x + 100 + 10 * i, y + 100);
    await page.mouse("mouseReleased", x + 140, y + 100);
    await run("(() => { const s = document.getElementById('scene'); s.value = 'checker'; s.onchange(); })()");
    const checker = await hash();
    await page.mouse("mousePressed", x + 100, y + 100);
    for (let i = 1; i <= 4; i++) await page.mouse("mouseMoved", x + 100 + 10 * i, y + 100);
    await page.mouse("mouseReleased", x + 140, y + 100);
    await until(`document.getElementById('hash').textContent !== '${checker}'`, "the mouse turns the scene");
    check("the mouse turns the scene", true);
    await run("(() => { const s = document.getElementById('scene'); s.value = 'mandelbrot'; s.onchange(); })()");
    check("the same scene, the same bits", (await hash()) === first);
    await edit("mul f32 $r2 $r2 3.0", "mul f32 $r2 $r2 1.5");
    await until(`document.getElementById('hash').textContent !== '${first}'`, "an edit changes the picture");
    check("an edit changes the picture", true);
    const second = await hash();
    await edit("lg2 f32 $r3 $r3", "lg3 f32 $r3 $r3");
    await until("document.getElementById('errors').textContent !== ''", "a mistake is shown");
    const mistake = await text("#errors");
    check("a mistake has line and column", /mandelbrot\.fp:\d+:5: .*lg3/.test(mistake), mistake);
    check("a mistake leaves the picture", (await hash()) === second);
    await edit("lg3 f32 $r3 $r3", "lg2 f32 $r3 $r3");
    await until("document.getElementById('errors').textContent === ''", "the mistake is gone");
    await helpers(first);
    await page.click(x + w * 0.55, y + h * 0.4);
    await until("!document.getElementById('warp').hidden", "the warp of a pixel");
    check("a click shows the pixel's history", /^pixel \d+,\d+: /.test(await text("#pixel .cause")), await text("#pixel .cause"));
    check("values stand beside the text", (await run("document.querySelectorAll('.cm-lane-value').length")) > 10);
    const at = () => run("Number(document.getElementById('at').value)");
    for (let i = 0; i < 14; i++) await press("#forth");
    const forth = await text("#facts");
    check("steps forwards", (await at()) === 14, await at());
    await press("#back");
    check("a step back", (await at()) === 13 && (await text("#facts")) !== forth);
    await press("#forth");
    check("the same state again", (await text("#facts")) === forth);
    check("lanes are coloured", (await run("document.querySelectorAll('#grid i.runs, #grid i.held, #grid i.helper').length")) > 0);
    await shot("pixel");
    await press("#share");
    await until("location.hash.length > 20", "a link");
    const link = await run("location.href"), own = await hash();
    await page.open(link);
    await until("window.ready === true", "the page of a link");
    check("a link brings the state back", (await hash()) === own && (await at()) === 14 && /\$r2 1\.5/.test(await run("window.page.editor.text()")), [await hash(), own, await at()]);
}

const choose = (name) => run(`(() => { const s = document.getElementById('scene'); s.value = ${JSON.stringify(name)}; s.onchange(); })()`);
// Drops a file on the page.
const drop = (name, bytes) => run(`(() => { const d = new DataTransfer();
    d.items.add(new File([Uint8Array.from(atob(${JSON.stringify(bytes.toString("base64"))}), (c) => c.charCodeAt(0))], ${JSON.stringify(name)}));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: d, bubbles: true })); })()`);

// The page's own recording has GLSL; another recording, without GLSL, comes by drag and drop.
async function recordings() {
    await press("nav [data-tab=scenes]");
    await choose("sphere.tpr");
    const whole = await hash();
    check("a recording is drawn", (await run("document.getElementById('picture').width")) === 256 && /2 of 2: colour 256x192/.test(await text("#draw-text")), await text("#draw-text"));
    check("its program has GLSL beside", /float stripe = fract/.test(await text("#glsl")), await text("#glsl"));
    check("and machine code", /interp \$r0 v\[0x0\]\nrcp f32 \$r0 \$r0/.test(await run("window.page.editor.text()")));
    check("and its state", /depth test/.test(await text("#draw-state table")), await text("#draw-state table"));
    const [x, y, w, h] = await box("#picture");
    await page.click(x + w / 2, y + h / 2);
    await until("!document.getElementById('warp').hidden", "the warp of a recording's pixel");
    check("a recording's pixel has its history", (await run("document.querySelectorAll('#pixel .entry').length")) === 4, await text("#pixel"));
    check("values stand beside a recording's code", (await run("document.querySelectorAll('.cm-lane-value').length")) > 10);
    for (let i = 0; i < 12; i++) await press("#forth");
    await shot("recording");
    await run("[...document.querySelectorAll('#pixel .entry button')][0].click()");
    check("an earlier draw's fragment has its own GLSL", /draw 1, fragment/.test(await text("#glsl")) && /mix\(/.test(await text("#glsl")), await text("#glsl"));
    await press("#draw-back");
    check("one draw less, another picture", (await hash()) !== whole && /1 of 2/.test(await text("#draw-text")));
    await press("#draw-forth");
    check("the draw again, the same picture", (await hash()) === whole);
    await press("#programs [data-program='vertex.vp']");
    check("the vertex program has its GLSL", /gl_VertexID/.test(await text("#glsl")));
    await run("document.getElementById('stepper-number').value = 7");
    await press("#stepper-go");
    await until("document.getElementById('warp-name').textContent.includes('vertex 7')", "the warp of a vertex");
    check("a vertex is stepped", true);
    await press("#draw-back");
    await press("#share");
    await until("location.hash.length > 20");
    const link = await run("location.href"), first = await hash();
    await page.open(link);
    await until("window.ready === true", "the page of a recording's link");
    check("a link to the page's recording", (await hash()) === first && /1 of 2/.test(await text("#draw-text")), await text("#draw-text"));
    await drop("lozenge.tpr", readFileSync("demos/recordings/lozenge.tpr"));
    await until("document.getElementById('picture').width === 128", "a dropped recording");
    check("a dropped recording is drawn", /1 of 1/.test(await text("#draw-text")));
    check("without GLSL the page says how to get it", /--keep-source/.test(await text("#glsl")));
    await drop("text.tpr", Buffer.from("this is no recording, but text that is longer than a header"));
    await until("/not a recording/.test(document.getElementById('status').textContent)", "the message about another file", 20).then(
        () => check("another file is refused", true), async () => check("another file is refused", false, await text("#status")));
    await choose("mandelbrot");
    check("a scene again", /^[0-9a-f]{16}$/.test(await hash()) && (await run("document.getElementById('glsl').hidden && !document.getElementById('scene-bar').hidden")));
}

// Values stand beside the lines of a macro, and beside its use.
async function macros() {
    await run("[...document.querySelectorAll('#programs button')].at(-1).click()");
    await until("/mul f32 \\$r2 \\$r2 3.0/.test(window.page.editor.text())", "the file's text after a link", 20);
    check("the file's text after a link that changes it", true);
    await run(`(() => { const e = window.page.editor; e.replace(".macro third of\\n    mul f32 \\\\of \\\\of 0.5\\n.endm\\n" + e.text().replace("mul f32 $r2 $r2 3.0", "third $r2")); })()`);
    await until("document.getElementById('errors').textContent === ''");
    const before = await hash();
    await until(`document.getElementById('hash').textContent !== '${before}'`, "a macro's picture", 5).catch(() => {});
    const [x, y, w, h] = await box("#picture");
    await page.click(x + w * 0.5, y + h * 0.5);
    await until("!document.getElementById('warp').hidden && document.querySelectorAll('.cm-lane-value').length > 5", "values of a program with a macro");
    const lines = await run(`[...document.querySelectorAll('.cm-line')].filter((l) => /third|\\\\of \\\\of/.test(l.textContent) && l.querySelector('.cm-lane-value')).map((l) => l.textContent)`);
    check("values of a macro's line and of its use", lines.length === 2 && lines.every((l) => /\$r2 = /.test(l)), lines);
    await run("[...document.querySelectorAll('#programs button')].at(-1).click()");
}

// From a server that isolates the page: threads, and the same bits.
async function hosted() {
    const names = ["teapot", "explode", "glass", "nbody"], alone = [];
    check("from a file: one thread", (await run("window.page.machine.threads")) === 1);
    for (const name of names) { await choose(name); alone.push(await hash()); }
    for (const isolated of [false, true]) {
        const server = await serve(folder, isolated);
        await page.open(`${server.url}/teslapipe.html?threads=3`);
        await until("window.ready === true", "the hosted page");
        server.close();
        check(`${isolated ? "isolated: threads" : "not isolated: one thread"}`, (await run("window.page.machine.threads")) === (isolated ? 3 : 1));
    }
    for (const [i, name] of names.entries()) {
        await choose(name);
        check(`${name} with threads has the same bits`, (await hash()) === alone[i], [await hash(), alone[i]]);
    }
    await choose("mandelbrot");
    const before = await hash();
    for (const [from, to] of [["$r2 3.0", "$r2 2.0"], ["$r2 2.0", "$r2 3.0"]]) {
        const now = await hash();
        await edit(from, to);
        await until(`document.getElementById('hash').textContent !== '${now}'`, "an edit with threads");
    }
    check("programs are changed with threads", (await hash()) === before);
    const [x, y, w, h] = await box("#picture");
    await page.click(x + w * 0.55, y + h * 0.4);
    await until("!document.getElementById('warp').hidden", "a warp with threads");
    await choose("sphere.tpr");
    check("a recording with threads", /2 of 2/.test(await text("#draw-text")), await text("#status"));
}

async function sets() {
    await press("nav [data-tab=scenes]");
    await choose("mandelbrot");
    await press("#play"); // a frame drawn later would end the steps of the warp
    await press("nav [data-tab=sets]");
    await until("document.querySelectorAll('#compare pre').length === 3 && document.querySelectorAll('#grid .row').length > 3", "three sets");
    check("three sets assemble", await run("[...document.querySelectorAll('#compare pre')].every((p) => /\\d+ bytes/.test(p.textContent))"));
    for (let i = 0; i < 7; i++) await press("#forth");
    check("who waits where is said", /who waits where.*●.*waits, |who waits where.*left a loop and waits/s.test(await text("#facts")), await text("#facts"));
    await shot("sets");
    await press("nav [data-tab=scenes]");
    const [x, y, w, h] = await box("#picture");
    await page.click(x + w * 0.55, y + h * 0.4);
    await until("!document.getElementById('warp').hidden", "the warp of a pixel, once more");
    await press("#forth");
    check("the buttons step the pixel's warp again", (await text("#where")).startsWith("1 of ") && (await run("document.querySelectorAll('#grid .row.here').length")) === 1);
}

const SOLUTIONS = {
    masks: ["(e $c0) break", "(lg $c0) break"],
    quads: ["$r12 l0 $r8 $r8", "$r12 dx $r8 $r8"],
    interpolation: ["mov b32 $r7 1.0", "rcp f32 $r7 $r7"],
    levels: ["mov b32 $r2 0x0\n    texlod all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2", "texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1"],
    geometry: ["    corner $r18 $r19 $r20", "    emit\n    corner $r18 $r19 $r20"],
    compute: ["    add b32 $r3 $r3 $r6\n", "    bar inc wait 0x0 all\n    add b32 $r3 $r3 $r6\n"],
};

async function lessons() {
    await press("nav [data-tab=lessons]");
    for (const [id, [from, to]] of Object.entries(SOLUTIONS)) {
        await press(`[data-lesson=${id}]`);
        await new Promise((done) => setTimeout(done, 500));
        check(`lesson ${id} assembles`, (await text("#errors")) === "", await text("#errors"));
        await until("document.getElementById('verdict') !== null");
        check(`lesson ${id} has a mistake`, (await text("#verdict")) === "not solved yet");
        if (id === "interpolation" || id === "compute") await shot(`lesson-${id}`);
        await edit(from, to);
        await until("document.getElementById('verdict').classList.contains('yes')", `lesson ${id}`, 60).then(
            () => check(`lesson ${id} is solved`, true), async (e) => check(`lesson ${id} is solved`, false, [e.message, await text("#errors")]));
    }
    check("solved lessons are marked", (await run("document.querySelectorAll('#lesson-list .done').length")) === Object.keys(SOLUTIONS).length);
}

try {
    await scenes();
    await recordings();
    await macros();
    await sets();
    await lessons();
    await press("nav [data-tab=scenes]");
    await hosted();
} catch (e) {
    check("the page works", false, e.message);
    await shot("failure");
}
check("no exceptions", page.errors.length === 0, page.errors);
await page.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
