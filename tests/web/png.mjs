// Reads PNG files of 8 bits a component without interlacing: RGBA.
import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";

function paeth(a, b, c) {
    const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

function unfilter(kind, row, before, step) {
    for (let i = 0; i < row.length; i++) {
        const left = i < step ? 0 : row[i - step], up = before[i], corner = i < step ? 0 : before[i - step];
        row[i] += [0, left, up, (left + up) >> 1, paeth(left, up, corner)][kind];
    }
}

export function readPng(path) {
    const file = readFileSync(path), parts = [];
    let header;
    for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
        const kind = file.toString("latin1", at + 4, at + 8);
        const data = file.subarray(at + 8, at + 8 + file.readUInt32BE(at));
        if (kind === "IHDR") header = data;
        if (kind === "IDAT") parts.push(data);
    }
    const width = header.readUInt32BE(0), height = header.readUInt32BE(4), step = header[9] === 6 ? 4 : 3;
    if (header[8] !== 8 || (header[9] !== 6 && header[9] !== 2) || header[12])
        throw new Error(`${path}: another kind of PNG`);
    const raw = inflateSync(Buffer.concat(parts)), rgba = new Uint8Array(width * height * 4).fill(255);
    let before = new Uint8Array(width * step);
    for (let y = 0; y < height; y++) {
        const start = y * (width * step + 1), row = raw.subarray(start + 1, start + 1 + width * step);
        unfilter(raw[start], row, before, step);
        for (let x = 0; x < width; x++) rgba.set(row.subarray(x * step, x * step + step), (y * width + x) * 4);
        before = row;
    }
    return { width, height, rgba };
}
