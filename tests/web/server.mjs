// A local server of one folder, with the headers that let a page share memory with workers (or without them).
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

export async function serve(folder, isolated) {
    const server = createServer((request, response) => {
        const name = basename(new URL(request.url, "http://localhost").pathname);
        const headers = { "Content-Type": "text/html; charset=utf-8" };
        if (isolated) Object.assign(headers, { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" });
        try {
            const text = readFileSync(join(folder, name));
            response.writeHead(200, headers).end(text);
        } catch {
            response.writeHead(404).end();
        }
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
