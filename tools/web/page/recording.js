// A recording in the page: its draws; the programs of one draw, with GLSL beside them; its state.
// The machine replays the recording.
const $ = (id) => document.getElementById(id);
export const EXAMPLE = "sphere.tpr"; // the example that the page contains

export function createRecording(machine, { programs, picture, tell, chosen }) {
    let info = null, now = null, lines = new Map();
    const find = (name) => now.programs.find((p) => name === nameOf(p));
    const nameOf = (p) => `${p.stage}.${p.type}`;

    function take(answer) {
        now = answer;
        lines = new Map(answer.programs.map((p) => [nameOf(p), new Map(p.code.map((c, i) => [c.address, i + 1]))]));
        programs(answer.programs.map(nameOf));
        const table = $("draw-state").querySelector("table");
        table.textContent = "";
        for (const line of answer.state) {
            const row = table.insertRow();
            for (const cell of line) row.insertCell().textContent = cell;
        }
    }

    function controls(shown) {
        $("draw-bar").hidden = $("draw-state").hidden = !shown;
        $("scene-bar").hidden = shown;
        if (!shown) $("glsl").hidden = true;
    }
    $("draw").oninput = () => chosen(Number($("draw").value));
    $("draw-back").onclick = () => chosen(Math.max(1, now.draw - 1));
    $("draw-forth").onclick = () => chosen(Math.min(info.draws.length, now.draw + 1));

    return {
        open(name, bytes) {
            if (!machine.send(bytes)) return { error: `no memory for ${name}` };
            const answer = machine.call("web_open_recording", name);
            if (answer.error) return answer;
            info = answer;
            controls(true);
            $("draw").max = info.draws.length;
            return info;
        },
        show(draw) {
            const began = performance.now(), answer = machine.call("web_show_draw", draw);
            if (answer.error) return tell({ name: answer.error, chip: info.chip }, began), false;
            $("draw").value = draw;
            $("draw-text").textContent = `${draw} of ${info.draws.length}: ${info.draws[draw - 1]}${info.cut ? " (the file is cut off)" : ""}`;
            if (answer.width) picture(answer.width, answer.height);
            take(answer);
            tell(info, began);
            return true;
        },
        // Shows the programs of another draw; 0: of the selected one.
        describe(draw) {
            const wanted = draw || Number($("draw").value);
            if (!now || now.draw === wanted) return;
            const answer = machine.call("web_describe_draw", wanted);
            if (!answer.error) take(answer);
        },
        text: (name) => find(name)?.code.map((c) => c.text).join("\n") ?? "",
        lineOf(name, pc) {
            const line = lines.get(name)?.get(pc);
            return line === undefined ? null : { line, outer: line };
        },
        showSource(name) {
            const p = find(name);
            $("glsl").hidden = !p;
            $("glsl").firstChild.textContent = `GLSL of draw ${now.draw}, ${p?.stage}`;
            $("glsl").lastChild.textContent = p?.source?.trim() ?? "No GLSL is known: teslapipe gl --record FILE --keep-source keeps it.";
        },
        hide() { controls(false); },
    };
}
