// The machine: WebAssembly that is embedded in the page, and its functions (tools/web/). If the
// browser allows memory that is shared with workers, the machine with threads is used.
const own = (id) => document.getElementById(id).textContent;

// Returns the content that the page embeds under this name.
export async function unpack(id) {
    const packed = Uint8Array.from(atob(own(id)), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

// ?threads=N in the address sets the number of threads.
function threadCount() {
    if (!window.crossOriginIsolated || typeof SharedArrayBuffer === "undefined") return 1;
    const asked = Number(new URLSearchParams(location.search).get("threads"));
    return Math.max(1, Math.min(asked || navigator.hardwareConcurrency || 1, 16));
}

async function startModule(threads) {
    const glue = own(threads > 1 ? "threads-glue" : "glue");
    const create = new Function(`${glue}; return teslapipe;`)();
    if (threads === 1) return create({ wasmBinary: await unpack("machine") });
    const url = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const worker = url(own("worker"));
    const module = await create({
        wasmBinary: await unpack("threads"), threads, mainScriptUrlOrBlob: url(glue),
        locateFile: (name) => (name.endsWith("worker.js") ? worker : name),
    });
    module.ccall("web_threads", null, ["number"], [threads]);
    return module;
}

export async function startMachine() {
    const threads = threadCount();
    const module = await startModule(threads);
    const text = (name, ...values) =>
        module.ccall(name, "string", values.map((v) => (typeof v === "string" ? "string" : "number")), values);
    return {
        text,
        threads,
        call: (name, ...values) => JSON.parse(text(name, ...values)),
        pixels(width, height) {
            const at = module.ccall("web_pixels", "number", [], []);
            return new ImageData(new Uint8ClampedArray(module.HEAPU8.slice(at, at + width * height * 4)), width, height);
        },
        // Passes the bytes of a file to the machine. Returns false when out of memory.
        send(bytes) {
            const at = module.ccall("web_receive", "number", ["number"], [bytes.length]);
            if (at) module.HEAPU8.set(bytes, at);
            return at !== 0;
        },
    };
}
