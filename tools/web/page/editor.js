// The editor of program text: colours, completion, mistakes, a sentence for the opcode under the
// mouse, and values of a lane beside the instructions.
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers, WidgetType } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const language = StreamLanguage.define({
    startState: () => ({ block: false, first: true }),
    token(stream, state) {
        if (stream.sol()) state.first = true;
        if (state.block || stream.match("/*")) {
            state.block = !stream.match(/.*?\*\//);
            if (state.block) stream.skipToEnd();
            return "comment";
        }
        if (stream.eatSpace()) return null;
        if (stream.match("//")) return stream.skipToEnd(), "comment";
        if (stream.match(/^[A-Za-z_]\w*:/)) return "labelName";
        if (stream.match(/^#\w+/)) return "labelName";
        if (stream.match(/^\.[A-Za-z_]\w*/)) return "meta";
        if (stream.match(/^@?!?(\$[a-z]+\d*[hl]?|[RP]\d+|[cgaopvsl]\d*\[)/)) return "variableName";
        if (stream.match(/^-?(0x[\da-fA-F]+|\d+(\.\d*)?(e[-+]?\d+)?)/)) return "number";
        if (stream.match(/^[A-Za-z_][\w.]*/)) {
            const word = stream.current(), first = state.first && !["exit", "join", "lg", "e", "ne"].includes(word);
            if (first) state.first = false;
            return first ? "keyword" : /^(exit|join)$/.test(word) ? "controlKeyword" : "typeName";
        }
        stream.next();
        return null;
    },
    languageData: { commentTokens: { line: "//" } },
});
const colours = HighlightStyle.define([
    { tag: tags.comment, color: "#7a8794", fontStyle: "italic" },
    { tag: tags.keyword, color: "#1d5fa8", fontWeight: "600" },
    { tag: tags.controlKeyword, color: "#b3261e", fontWeight: "600" },
    { tag: tags.variableName, color: "#2d7d46" },
    { tag: tags.number, color: "#a0560c" },
    { tag: tags.meta, color: "#7b3fa0" },
    { tag: tags.labelName, color: "#a01c6b" },
    { tag: tags.typeName, color: "#40566b" },
]);

const setMarks = StateEffect.define();
class Value extends WidgetType {
    constructor(text, off) { super(); this.text = text; this.off = off; }
    eq(other) { return other.text === this.text && other.off === this.off; }
    toDOM() {
        const span = document.createElement("span");
        span.className = `cm-lane-value${this.off ? " off" : ""}`;
        span.textContent = this.text;
        return span;
    }
}
const marks = StateField.define({
    create: () => Decoration.none,
    update(value, transaction) {
        if (transaction.docChanged) value = Decoration.none;
        for (const effect of transaction.effects)
            if (effect.is(setMarks)) {
                const doc = transaction.state.doc, list = [];
                for (const m of effect.value) {
                    if (m.line < 1 || m.line > doc.lines) continue;
                    const line = doc.line(m.line);
                    if (m.here) list.push(Decoration.line({ class: "cm-here" }).range(line.from));
                    if (m.text) list.push(Decoration.widget({ widget: new Value(m.text, m.off), side: 1 }).range(line.to));
                }
                value = Decoration.set(list, true);
            }
        return value;
    },
    provide: (field) => EditorView.decorations.from(field),
});

// words: those of an instruction set, as { label, detail }. explain(name): returns the sentence and
// forms of a word.
export function createEditor(parent, { words, explain, change }) {
    const complete = (context) => {
        const word = context.matchBefore(/[.\w]+/);
        if (!word && !context.explicit) return null;
        return { from: word ? word.from : context.pos, options: words(), validFor: /^[.\w]*$/ };
    };
    const hover = hoverTooltip((view, pos) => {
        const line = view.state.doc.lineAt(pos), column = pos - line.from;
        for (const m of line.text.matchAll(/[A-Za-z][\w.]*/g)) {
            if (column < m.index || column >= m.index + m[0].length) continue;
            const text = explain(m[0]);
            if (!text) return null;
            const create = () => {
                const dom = document.createElement("div");
                dom.className = "cm-tip";
                dom.textContent = text.trim();
                return { dom };
            };
            return { pos: line.from + m.index, end: line.from + m.index + m[0].length, above: true, create };
        }
        return null;
    });
    let silent = false;
    const state = (doc, fixed) => EditorState.create({
        doc,
        extensions: [
            EditorState.readOnly.of(!!fixed),
            lineNumbers(), history(), highlightActiveLine(), lintGutter(), marks, hover, language, syntaxHighlighting(colours),
            autocompletion({ override: [complete] }), keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
            EditorView.updateListener.of((u) => u.docChanged && !silent && change?.(u.state.doc.toString())),
        ],
    });
    const view = new EditorView({ parent, state: state("") });
    return {
        view,
        text: () => view.state.doc.toString(),
        show(doc, fixed) { silent = true; view.setState(state(doc, fixed)); silent = false; },
        replace(doc) { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: doc } }); },
        mistakes(list) {
            const doc = view.state.doc, diagnostics = list.map((e) => {
                const line = doc.line(Math.min(Math.max(e.line, 1), doc.lines));
                const from = Math.min(line.from + Math.max(e.column, 1) - 1, line.to);
                const end = doc.sliceString(from, line.to).match(/^\S+/);
                return { from, to: Math.min(line.to, from + (end ? end[0].length : 1)), severity: "error", message: e.text };
            });
            view.dispatch(setDiagnostics(view.state, diagnostics));
        },
        marks(list) { view.dispatch({ effects: setMarks.of(list) }); },
        scrollTo(n) {
            if (n >= 1 && n <= view.state.doc.lines)
                view.dispatch({ effects: EditorView.scrollIntoView(view.state.doc.line(n).from, { y: "nearest", yMargin: 40 }) });
        },
    };
}
