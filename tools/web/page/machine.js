// The machine: WebAssembly from the page's own text, and its functions (tools/web/).
async function bytes() {
    const packed = Uint8Array.from(atob(document.getElementById("machine").textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function startMachine() {
    const module = await window.teslapipe({ wasmBinary: await bytes() });
    const text = (name, ...values) =>
        module.ccall(name, "string", values.map((v) => (typeof v === "string" ? "string" : "number")), values);
    return {
        text,
        call: (name, ...values) => JSON.parse(text(name, ...values)),
        pixels(width, height) {
            const at = module.ccall("web_pixels", "number", [], []);
            return new ImageData(new Uint8ClampedArray(module.HEAPU8.slice(at, at + width * height * 4)), width, height);
        },
    };
}
