// Makes the page: one HTML file with the machine, the style and the bundled program in it.
// usage: node build.mjs FOLDER; writes FOLDER/teslapipe.html. FOLDER has machine.js and threads.js
// with their .wasm, threads.worker.js, and node_modules.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";

const folder = resolve(process.argv[2]);
const own = (name) => new URL(name, import.meta.url).pathname;
const { buildSync } = createRequire(`${folder}/`)("esbuild");
const bundle = buildSync({
    entryPoints: [own("main.js")],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    nodePaths: [`${folder}/node_modules`],
    legalComments: "inline",
    write: false,
});
const script = (text) => text.replaceAll("</script", "<\\/script");
const packed = (path) => gzipSync(readFileSync(path), { level: 9 }).toString("base64");
const parts = {
    STYLE: readFileSync(own("style.css"), "utf8"),
    GLUE: script(readFileSync(`${folder}/machine.js`, "utf8")),
    THREADS_GLUE: script(readFileSync(`${folder}/threads.js`, "utf8")),
    WORKER: script(readFileSync(`${folder}/threads.worker.js`, "utf8")),
    MACHINE: packed(`${folder}/machine.wasm`),
    THREADS: packed(`${folder}/threads.wasm`),
    EXAMPLE: packed(new URL("../../../demos/recordings/sphere.tpr", import.meta.url).pathname),
    PROGRAM: script(bundle.outputFiles[0].text),
};
const html = readFileSync(own("index.html"), "utf8").replace(/@([A-Z_]+)@/g, (own, name) => parts[name] ?? own);
writeFileSync(`${folder}/teslapipe.html`, html);
console.log(`${folder}/teslapipe.html: ${(html.length / 1e6).toFixed(1)} MB, ${(gzipSync(html).length / 1e6).toFixed(1)} MB compressed`);
