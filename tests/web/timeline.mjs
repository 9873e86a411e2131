// A time line (--timeline) as Chromium's own viewer sees it, the Performance panel of its developer tools: all events and
// threads are there, nested, without a complaint. usage: node timeline.mjs FILE [PICTURE.png]. Skipped where this Chromium
// has no such panel. Ends in "N passed, N failed".
import { readFileSync, writeFileSync } from "node:fs";
import { openPage } from "./chromium.mjs";

const [path, picture] = process.argv.slice(2);
const text = readFileSync(path, "utf8"), events = JSON.parse(text).traceEvents;
let passed = 0, failed = 0;
function check(name, right, detail) {
    right ? passed++ : failed++;
    console.log(`${right ? "passed" : "FAILED"}: ${name}${right || detail === undefined ? "" : `: ${JSON.stringify(detail)}`}`);
}

const page = await openPage("", { width: 1600, height: 760 });
await page.open("devtools://devtools/bundled/devtools_app.html?panel=timeline");
const there = await page.until("document.title === 'DevTools' && document.readyState === 'complete'", "the developer tools", 20).catch(() => false);
await page.run(`window.text = new TextDecoder().decode(Uint8Array.from(atob(${JSON.stringify(Buffer.from(text).toString("base64"))}), (c) => c.charCodeAt(0)))`);
const seen = there && await page.run(`(async () => {
    const engine = await import("./models/trace/trace.js"), model = engine.TraceModel.Model.createWithAllHandlers();
    await model.parse(JSON.parse(text).traceEvents, {});
    const data = model.parsedTrace().data, threads = [];
    for (const process of data.Renderer.processes.values())
        for (const thread of process.threads.values()) threads.push([thread.name, thread.entries.length, thread.tree?.maxDepth ?? 0]);
    return { generic: data.Meta.traceIsGeneric, threads };
})()`).catch((e) => { console.log(`skipped: ${e.message.split("\n")[0]}`); });
if (seen) {
    const count = (tid) => events.filter((e) => e.ph === "X" && e.tid === tid).length;
    const own = events.filter((e) => e.name === "thread_name" && count(e.tid)).map((e) => [e.args.name, count(e.tid)]);
    check("it is a trace", seen.generic === true, seen);
    check("all threads with all events", own.length > 1 && own.every(([name, n]) => seen.threads.some((t) => t[0] === name && t[1] === n)), [own, seen.threads]);
    check("events lie inside each other", seen.threads.some((t) => t[2] > 1), seen.threads);
}
if (seen && picture) {
    await page.run(`(async () => {
        const ui = await import("./ui/legacy/legacy.js");
        await ui.ViewManager.ViewManager.instance().showView("timeline");
        const panel = (await import("./panels/timeline/timeline.js")).TimelinePanel.TimelinePanel.instance();
        await panel.loadFromFile(new File([text], "line.json", { type: "application/json" }));
    })()`);
    const wait = (ms) => new Promise((done) => setTimeout(done, ms));
    await wait(12000);
    for (const at of [[1571, 77], [250, 129], [260, 168], [260, 147]]) { await page.click(...at); await wait(700); }
    const [x, steps] = (process.argv[4] ?? "1000,10").split(",").map(Number);
    await page.mouse("mouseMoved", x - 1, 300, { button: "none", buttons: 0 });
    await page.mouse("mouseMoved", x, 300, { button: "none", buttons: 0 });
    for (let i = 0; i < steps; i++) { await page.mouse("mouseWheel", x, 300, { button: "none", buttons: 0, deltaX: 0, deltaY: -120 }); await wait(150); }
    await wait(1500);
    writeFileSync(picture, await page.picture());
}
await page.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
