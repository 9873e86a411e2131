// The same loop in the three instruction sets: text, words, and a warp of each.
import { createEditor } from "./editor.js";

export const LOOPS = [
    ["gt215", "Tesla", "// $r0: the lane's number. Counts $r1 up to it.\n    breakaddr #end\nturn:\n    set $c0 # ge u32 $r1 $r0\n    (lg $c0) break\n    add b32 $r1 $r1 0x1\n    bra #turn\nend:\n    exit nop\n"],
    ["gf100", "Fermi", "// $r0: the lane's number. Counts $r1 up to it.\n    prebrk #end\nturn:\n    set $p0 0x1 ge u32 $r1 $r0\n    $p0 brk\n    add b32 $r1 $r1 0x1\n    bra #turn\nend:\n    exit\n"],
    ["g64", "generic64", "// R0: the lane's number. Counts R1 up to it.\n    PBK end\nturn:\n    SETGE.U P0, R1, R0\n    @P0 BRK\n    ADD R1, R1, 1\n    BRA turn\nend:\n    EXIT\n"],
];

export function createSets(machine, parent, words, texts, warp) {
    const columns = LOOPS.map(([chip, name, text], i) => {
        const box = parent.appendChild(document.createElement("div"));
        box.innerHTML = `<div class="bar"><b>${name}</b> <button>step its warp (8 lanes)</button></div><div></div><pre></pre>`;
        const list = words(chip);
        const editor = createEditor(box.children[1], {
            words: () => list, explain: (word) => machine.call("web_explain", chip, word), change: () => assemble(),
        });
        const out = box.querySelector("pre");
        const assemble = () => {
            const answer = machine.call("web_assemble", chip, "cp", editor.text());
            editor.mistakes(answer.errors);
            if (answer.errors.length) return;
            const code = answer.words.map((w) => w.toString(16).padStart(8, "0")).join(" ");
            out.textContent = `${answer.words.length * 4} bytes\n${machine.call("web_disassemble", chip, "cp", code)}`;
        };
        const run = () => warp.show(machine.call("web_warp", chip, "cp", editor.text(), "l,0", 0xff));
        box.querySelector("button").onclick = run;
        editor.show(texts?.[i] ?? text);
        return { assemble, run, text: () => editor.text() };
    });
    return { texts: () => columns.map((c) => c.text()), open() { columns.forEach((c) => c.assemble()); columns[0].run(); } };
}
