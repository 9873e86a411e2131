// The view of a warp: instructions by 32 lanes, forwards and back; masks, stack and registers.
const $ = (id) => document.getElementById(id);
const hex = (n, digits = 8) => (n >>> 0).toString(16).padStart(digits, "0");
const bits = new DataView(new ArrayBuffer(4));

// Returns a word as text: as a float if the bits look like one.
export function wordText(word) {
    bits.setUint32(0, word);
    const value = bits.getFloat32(0), size = Math.abs(value);
    if (word === 0) return "0";
    if (size > 1e-6 && size < 1e7) return String(Number(value.toPrecision(6)));
    return word < 0x10000 ? String(word) : word > 0xffff0000 ? String(word | 0) : `0x${hex(word)}`;
}

export function createWarpView(machine, { moved }) {
    let info = null, now = null, rowOf = new Map(), cells = [];

    function maskText(mask) {
        let text = "";
        for (let i = 0; i < 32; i++) text += (mask >>> i) & 1 ? "<b>●</b>" : "<s>·</s>";
        return `<span class="mask">${text}</span>`;
    }

    function build() {
        const grid = $("grid");
        grid.textContent = "";
        rowOf = new Map();
        cells = [];
        info.code.forEach((c, k) => {
            const row = document.createElement("div");
            row.className = "row";
            row.title = c.sentence;
            const address = document.createElement("span");
            address.className = "address";
            address.textContent = hex(c.address, 4);
            row.append(address);
            cells.push(Array.from({ length: 32 }, () => row.appendChild(document.createElement("i"))));
            const code = document.createElement("span");
            code.className = "code";
            code.textContent = c.text;
            row.append(code);
            row.onclick = () => go(nextAt(c.address));
            grid.append(row);
            rowOf.set(c.address, k);
        });
    }

    // Returns the next step at this address after the cursor, else the first step there.
    function nextAt(address) {
        for (let n = 1; n <= info.count; n++) {
            const i = (now.at + n) % info.count;
            if (info.steps[i][0] === address) return i;
        }
        return now.at;
    }

    function drawGrid() {
        const lane = Number($("lane").value), active = now.masks.active ?? 0;
        const guard = now.at < info.count ? info.steps[now.at][2] : 0;
        const state = now.lanes.map((l, i) => {
            if (l.state === 0 || l.does === "has ended") return "ended";
            if (!((active >>> i) & 1)) return "waits";
            return l.invisible ? "helper" : (guard >>> i) & 1 ? "runs" : "held";
        });
        cells.forEach((row, k) => row.forEach((cell, i) => {
            const here = now.lanes[i].pc === info.code[k].address;
            const name = (here ? state[i] : "") + (here && i === lane ? " picked" : "");
            if (cell.className !== name) cell.className = name;
        }));
        const current = rowOf.get(now.pc);
        [...$("grid").children].forEach((row, k) => row.classList.toggle("here", k === current));
        if (current !== undefined) keepInSight($("grid").children[current]);
    }

    // Scrolls the grid so far that the row is visible; the page stays.
    function keepInSight(row) {
        const grid = $("grid"), top = row.offsetTop;
        if (top < grid.scrollTop) grid.scrollTop = top;
        if (top + row.offsetHeight > grid.scrollTop + grid.clientHeight) grid.scrollTop = top + row.offsetHeight - grid.clientHeight;
    }

    // Lists the waiting lanes, by the place where they continue and by the reason.
    function whoWaits() {
        const places = new Map();
        now.lanes.forEach((l, i) => {
            if (!/\bwaits\b/.test(l.does)) return;
            const key = `${l.does}${rowOf.has(l.pc) ? `, goes on at ${hex(l.pc, 4)}` : ""}`;
            places.set(key, (places.get(key) ?? 0) | (1 << i));
        });
        return [...places].map(([what, mask]) => `<tr><td>${maskText(mask >>> 0)}</td><td>${escape(what)}</td></tr>`).join("");
    }

    function drawFacts() {
        const lane = Number($("lane").value), changed = new Set((now.changes ?? []).map((c) => c.row));
        const code = now.at < info.count ? info.code[rowOf.get(info.steps[now.at][0])] : null;
        let html = `<p class="legend"><i class="runs"></i>runs<i class="held"></i>predicate false<i class="helper"></i>helper` +
            `<i class="waits"></i>waits<i class="ended"></i>ended</p>`;
        html += code ? `<h3>next: ${escape(code.text)}</h3>${escape(code.sentence)}` : `<h3>the warp has ended ${escape(info.end)}</h3>`;
        html += `<h3>lane ${lane}: ${escape(info.lanes[lane] || "unused")}, ${escape(now.lanes[lane].does)}</h3>`;
        const waits = whoWaits();
        if (waits) html += `<h3>who waits where</h3><table>${waits}</table>`;
        html += `<h3>masks (lanes 0 to 31)</h3><table>${Object.entries(now.masks)
            .map(([name, mask]) => `<tr><td>${name}</td><td>${maskText(mask)}</td></tr>`).join("")}</table>`;
        html += `<h3>divergence stack, from the top</h3><table>${now.stack
            .map((e) => `<tr><td>${e.type}</td><td>${hex(e.pc, 4)}</td><td>${maskText(e.mask)}</td></tr>`).join("") || "<tr><td>empty</td></tr>"}</table>`;
        const rows = info.rows.map((name, i) => ({ name, i, values: now.rows[i] }))
            .filter((r) => changed.has(r.i) || r.values.some((v) => v));
        html += `<h3>registers of lane ${lane}; all lanes under the mouse</h3><table>${rows
            .map((r) => `<tr title="${r.values.map(wordText).join("  ")}"><td>${r.name}</td><td class="${changed.has(r.i) ? "new" : ""}">` +
                `${wordText(r.values[lane])}</td><td>0x${hex(r.values[lane])}</td></tr>`).join("")}</table>`;
        $("facts").innerHTML = html;
    }

    const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

    function go(at) {
        if (!info) return;
        now = machine.call("web_steps_at", Math.max(0, Math.min(at, info.count)));
        $("at").value = now.at;
        $("where").textContent = `${now.at} of ${info.count}${info.cut ? "+" : ""}`;
        drawGrid();
        drawFacts();
        moved?.(now, info);
    }

    $("back").onclick = () => go(now.at - 1);
    $("forth").onclick = () => go(now.at + 1);
    $("first").onclick = () => go(0);
    $("last").onclick = () => go(info.count);
    $("at").oninput = () => go(Number($("at").value));
    $("lane").oninput = () => { if (now) { drawGrid(); drawFacts(); } };

    return {
        show(answer, at = 0) {
            $("warp").hidden = !!answer.error;
            info = answer.error ? null : answer;
            if (!info) return;
            $("warp-name").textContent = `${info.program.replace(/^.*programs\//, "")} · ${info.type} · ${info.lanes[info.lane] || ""}`;
            $("at").max = info.count;
            $("lane").value = info.lane;
            now = { at: 0 };
            build();
            go(at);
        },
        hide() { info = null; $("warp").hidden = true; },
        at: () => now?.at ?? 0,
        go,
    };
}
