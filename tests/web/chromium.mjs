// Drives Chromium without a display over its pipe (the DevTools protocol): no further program is needed.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function openPage(url, { width = 1440, height = 1150, seconds = 600 } = {}) {
    const profile = mkdtempSync(join(tmpdir(), "page-"));
    const browser = spawn("chromium", ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe",
        `--user-data-dir=${profile}`, `--window-size=${width},${height}`], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    const waiting = new Map(), errors = [];
    let number = 0, rest = "";
    browser.stdio[4].setEncoding("utf8");
    browser.stdio[4].on("data", (data) => {
        const messages = (rest + data).split("\0");
        rest = messages.pop();
        for (const m of messages.map((text) => JSON.parse(text))) {
            if (m.method === "Runtime.exceptionThrown") errors.push(m.params.exceptionDetails.exception?.description ?? m.params.exceptionDetails.text);
            waiting.get(m.id)?.(m);
            waiting.delete(m.id);
        }
    });
    const send = (method, params = {}, sessionId) => new Promise((done, fail) => {
        const id = ++number;
        waiting.set(id, (m) => (m.error ? fail(new Error(`${method}: ${m.error.message}`)) : done(m.result)));
        browser.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
    const limit = setTimeout(() => browser.kill("SIGKILL"), seconds * 1000);
    browser.on("exit", () => { for (const f of waiting.values()) f({ error: { message: "the browser has ended" } }); });
    const { targetId } = await send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
    const page = (method, params) => send(method, params, sessionId);
    await page("Runtime.enable");
    await page("Page.enable");
    await page("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    const run = async (expression) => {
        const r = await page("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
        if (r.exceptionDetails) throw new Error(r.exceptionDetails.exception?.description ?? r.exceptionDetails.text);
        return r.result.value;
    };
    const until = async (expression, what, most = 120) => {
        for (let i = 0; i < most * 5; i++) {
            if (await run(expression).catch(() => false)) return true;
            await new Promise((done) => setTimeout(done, 200));
        }
        throw new Error(`waited in vain: ${what ?? expression}`);
    };
    const mouse = (type, x, y, more = {}) => page("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: 1, clickCount: 1, ...more });
    return {
        errors, run, until, mouse,
        open: async (to) => { await page("Page.navigate", { url: "about:blank" }); await page("Page.navigate", { url: to }); },
        type: (text) => page("Input.insertText", { text }),
        click: async (x, y) => { await mouse("mousePressed", x, y); await mouse("mouseReleased", x, y); },
        picture: async () => Buffer.from((await page("Page.captureScreenshot", { format: "png" })).data, "base64"),
        close: async () => { clearTimeout(limit); browser.kill(); await new Promise((done) => browser.on("exit", done)); rmSync(profile, { recursive: true, force: true, maxRetries: 5 }); },
    };
}
