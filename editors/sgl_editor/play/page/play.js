// The page of `sglc play`: an editor that speaks to the language server, and what the server shows.
//
// connection   JSON-RPC over a WebSocket: ask(method, params), tell(method, params), on(method, answer)
// files        the texts of the open grammar, one editor state for each
// messages     diagnostics, with a button for each fix
// samples      texts in all layers below the messages, asked for again after each change
// patterns     what training shows beside what is asked, asked for again when claims are decided

import {
  basicSetup, Decoration, EditorState, EditorView, hoverTooltip, indentWithTab, keymap, StateEffect, StateField,
  StreamLanguage, oneDark,
} from "/editor/index.js";

const settings = JSON.parse(document.getElementById("settings").textContent);
const element = (id) => document.getElementById(id);
const dark = matchMedia("(prefers-color-scheme: dark)");

// ---- the connection

class Connection {
  constructor(address) {
    this.waiting = new Map();
    this.answers = new Map();
    this.number = 0;
    this.socket = new WebSocket(address);
    this.socket.addEventListener("message", async (event) => {
      const text = typeof event.data === "string" ? event.data : await event.data.text();
      this.receive(JSON.parse(text));
    });
    this.socket.addEventListener("close", ({ reason }) => say(reason || "the server has ended; start `sglc play` again", true));
    this.opened = new Promise((resolve) => this.socket.addEventListener("open", resolve));
  }

  receive(message) {
    if (message.method && message.id !== undefined) {
      this.send({ id: message.id, result: null });
    } else if (message.method) {
      this.answers.get(message.method)?.(message.params);
    } else {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      message.error ? waiting?.reject(new Error(message.error.message)) : waiting?.resolve(message.result);
    }
  }

  send(message) {
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  ask(method, params) {
    const id = ++this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  tell(method, params) {
    this.send({ method, params });
  }

  on(method, answer) {
    this.answers.set(method, answer);
  }

  command(name, ...args) {
    return this.ask("workspace/executeCommand", { command: `play.${name}`, arguments: args });
  }
}

function say(text, wrong = false) {
  element("state").textContent = text;
  element("state").classList.toggle("bad", wrong);
}

// ---- the colours of the language

const declarations = new Set(settings.words.declarations);
const clauses = new Set(settings.words.clauses);
const sgl = StreamLanguage.define({
  name: "sgl",
  startState: () => ({ declared: false, inside: false, heads: false }),
  // The line after the head of a declaration with clauses is indented; every other line is as the one before it.
  indent: (state) => (state.heads ? 2 : null),
  token(stream, state) {
    const first = stream.sol();
    if (first) {
      state.declared = state.inside = false;
      state.heads = /^(rule|word|lexicon|forms|paradigm|pattern|part|dataset|release|test)\b/.test(stream.string);
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/^#(?=\s|$|[^~^*\w]).*/) || (stream.peek() === "#" && !stream.match(/^#[~^*]?\w/, false))) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return ((state.declared = false), "string");
    if (stream.match(/^-\[[^\]]*\]->/)) return "propertyName";
    if (stream.match(/^[@$]\w+/)) return "variableName.special";
    if (stream.match(/^-?\d+(?:\.\d+)?\b/)) return "number";
    const word = stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u);
    if (word) {
      if (first && declarations.has(word[0])) return ((state.declared = true), "keyword");
      // Names are what is declared, parts after `.`, values after `=` and `|`, and what is in brackets.
      const named = state.inside ? !/^(in|not)$/.test(word[0]) : /[.=|]\s*$/.test(stream.string.slice(0, stream.start));
      if (clauses.has(word[0]) && !named && (!state.declared || word[0] === "reject")) return ((state.declared = false), "keyword");
      return state.declared ? ((state.declared = false), "variableName.definition") : null;
    }
    state.declared = false;
    const sign = stream.next();
    if (sign === "[" || sign === "]") state.inside = sign === "[";
    return "operator";
  },
  languageData: { commentTokens: { line: "#" }, autocomplete: complete },
});

// ---- files: an editor state for each

const files = new Map();
let root = "";
let shown = "";
let seed = 1;

const setMarks = StateEffect.define();
const marks = StateField.define({
  create: () => Decoration.none,
  update(value, change) {
    value = value.map(change.changes);
    for (const effect of change.effects) if (effect.is(setMarks)) value = effect.value;
    return value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function offset(text, place) {
  const line = text.line(Math.min(place.line + 1, text.lines));
  return Math.min(line.from + place.character, line.to);
}

function place(text, at) {
  const line = text.lineAt(at);
  return { line: line.number - 1, character: at - line.from };
}

function stateOf(text) {
  return EditorState.create({
    doc: text,
    extensions: [
      basicSetup, keymap.of([indentWithTab]), sgl, marks, hoverTooltip(hover), EditorView.cspNonce.of(settings.nonce),
      EditorView.contentAttributes.of({ "aria-label": "Grammar", spellcheck: "false" }), dark.matches ? oneDark : [],
      EditorView.updateListener.of((update) => update.docChanged && changed()),
    ],
  });
}

const editor = new EditorView({ parent: element("editor"), state: stateOf("") });

// Whoever has no mouse scrolls it with the keys.
editor.scrollDOM.tabIndex = 0;

let reading = 0;
function changed() {
  const file = files.get(shown);
  if (!file || file.loading) return;
  file.version += 1;
  file.state = editor.state;
  savable(true);
  say("reading");
  clearTimeout(reading);
  reading = setTimeout(flush, 120);
}

// What was typed is sent after a pause, or before anything is asked about it.
function flush() {
  if (reading) send(files.get(shown));
}

let unsaved = false;
function savable(changed) {
  unsaved = changed && settings.own && root === settings.start;
  element("save").textContent = "Save";
  element("save").disabled = !unsaved;
}

function send(file) {
  clearTimeout(reading);
  reading = 0;
  connection.tell("textDocument/didChange", {
    textDocument: { uri: file.uri, version: file.version },
    contentChanges: [{ text: file.state.doc.toString() }],
  });
}

function show(uri) {
  const file = files.get(uri);
  if (!file) return;
  flush();
  if (files.has(shown)) files.get(shown).state = editor.state;
  shown = uri;
  file.loading = true;
  editor.setState(file.state);
  file.loading = false;
  for (const tab of element("files").children) tab.setAttribute("aria-selected", tab.dataset.uri === uri);
  underline();
}

async function open(uri) {
  for (const file of files.values()) connection.tell("textDocument/didClose", { textDocument: { uri: file.uri } });
  files.clear();
  diagnostics.clear();
  root = uri;
  shown = "";
  savable(false);
  say("opening");
  const found = await connection.command("files", uri);
  element("title").textContent = found.title ? `· ${found.title}` : "";
  element("files").replaceChildren();
  for (const file of found.files ?? []) {
    files.set(file.uri, { ...file, version: 1, state: stateOf(file.text) });
    const tab = document.createElement("button");
    tab.role = "tab";
    tab.dataset.uri = file.uri;
    tab.textContent = file.name;
    tab.addEventListener("click", () => show(file.uri));
    element("files").append(tab);
    connection.tell("textDocument/didOpen", {
      textDocument: { uri: file.uri, languageId: "sgl", version: 1, text: file.text },
    });
  }
  const choices = (found.samples ?? []).map((name) => new Option(name.replaceAll("_", " "), name));
  element("of").replaceChildren(new Option("the whole grammar", ""), ...choices);
  show(uri);
  editor.scrollDOM.scrollTop = 0;
  await Promise.all([refreshSamples(), refreshPatterns()]);
}

// ---- help at the cursor

// What stands between backticks is code.
function addText(dom, text) {
  text.split("`").forEach((piece, number) => {
    if (number % 2) dom.appendChild(document.createElement("code")).textContent = piece;
    else dom.append(piece);
  });
}

// Hovers use these of Markdown: blocks of code, tables, lists, and code between backticks.
function addMarkdown(dom, markdown) {
  const add = (parent, tag, text) => addText(parent.appendChild(document.createElement(tag)), text);
  markdown.split(/^```.*\n?/m).forEach((part, number) => {
    if (number % 2) {
      dom.appendChild(document.createElement("pre")).textContent = part.trimEnd();
      return;
    }
    let table = null;
    for (const line of part.split("\n").filter((line) => line.trim() && !line.startsWith("| ---"))) {
      if (line.startsWith("|")) {
        table ??= dom.appendChild(document.createElement("table"));
        const row = table.insertRow();
        for (const cell of line.slice(1, -1).split("|")) add(row, table.rows.length > 1 ? "td" : "th", cell.trim());
      } else {
        table = null;
        add(dom, "p", line.replace(/^- /, "• "));
      }
    }
  });
}

async function hover(view, at) {
  const uri = shown;
  flush();
  const found = await connection.ask("textDocument/hover", { textDocument: { uri }, position: place(view.state.doc, at) });
  const own = (diagnostics.get(uri) ?? []).filter(
    (one) => offset(view.state.doc, one.range.start) <= at && at <= offset(view.state.doc, one.range.end),
  );
  if (!found && !own.length) return null;
  const text = [...own.map((one) => `${one.code}: ${one.message}`), found?.contents?.value ?? ""].filter(Boolean);
  return {
    pos: at,
    create() {
      const dom = document.createElement("div");
      dom.className = "hover";
      addMarkdown(dom, text.join("\n\n"));
      return { dom };
    },
  };
}

async function complete(context) {
  const word = context.matchBefore(/[\p{L}\p{N}_]*/u);
  if (!context.explicit && word && word.from === word.to) return null;
  const doc = context.state.doc;
  flush();
  const found = await connection.ask("textDocument/completion", {
    textDocument: { uri: shown }, position: place(doc, context.pos),
  });
  const items = found?.items ?? found ?? [];
  const start = items[0]?.textEdit ? offset(doc, (items[0].textEdit.range ?? items[0].textEdit.insert).start) : word?.from;
  return items.length
    ? {
        from: start ?? context.pos,
        options: items.map((item) => ({
          label: item.label, detail: item.detail, apply: item.textEdit?.newText ?? item.insertText ?? item.label,
        })),
        validFor: /^[\p{L}\p{N}_]*$/u,
      }
    : null;
}

// ---- messages

const diagnostics = new Map();

function underline() {
  const doc = editor.state.doc;
  const ranges = (diagnostics.get(shown) ?? [])
    .map((one) => {
      const from = offset(doc, one.range.start);
      const to = Math.max(offset(doc, one.range.end), Math.min(from + 1, doc.length));
      return to > from ? Decoration.mark({ class: one.severity === 1 ? "wrong" : "doubtful" }).range(from, to) : null;
    })
    .filter(Boolean);
  editor.dispatch({ effects: setMarks.of(Decoration.set(ranges, true)) });
}

async function refreshMessages() {
  underline();
  const list = document.createElement("ol");
  let errors = 0;
  for (const [uri, found] of diagnostics) {
    for (const one of found) {
      errors += one.severity === 1;
      list.append(message(uri, one));
    }
  }
  element("count").textContent = list.children.length ? list.children.length : "";
  if (list.children.length) element("told").replaceChildren(list);
  else element("told").textContent = "No errors or warnings.";
  const number = list.children.length;
  say(errors ? `${errors} error${errors === 1 ? "" : "s"}` : number ? `${number} warning${number === 1 ? "" : "s"}` : "no errors", errors > 0);
}

function message(uri, one) {
  const item = document.createElement("li");
  item.className = one.severity === 1 ? "error" : "warning";
  const where = document.createElement("button");
  where.className = "where";
  where.textContent = `${one.code} · ${files.get(uri)?.name ?? "library"}:${one.range.start.line + 1}`;
  where.addEventListener("click", () => {
    show(uri);
    const at = offset(editor.state.doc, one.range.start);
    editor.dispatch({ selection: { anchor: at }, scrollIntoView: true });
    editor.focus();
  });
  const text = document.createElement("p");
  const hint = document.createElement("p");
  const at = one.message.lastIndexOf("\nhint: ");
  addText(text, at < 0 ? one.message : one.message.slice(0, at));
  addText(hint, at < 0 ? "" : one.message.slice(at + 1));
  item.append(where, text, hint);
  if (files.has(uri)) fixes(uri, one, item, hint);
  return item;
}

// A hint that a button applies stands on the button alone.
async function fixes(uri, one, item, hint) {
  const found = await connection.ask("textDocument/codeAction", {
    textDocument: { uri }, range: one.range, context: { diagnostics: [one] },
  });
  for (const action of found ?? []) {
    if (!action.edit) continue;
    if (action.isPreferred) hint.remove();
    const button = document.createElement("button");
    button.className = "fix";
    button.textContent = action.title;
    button.addEventListener("click", () => apply(action.edit));
    item.append(button);
  }
}

function apply(edit) {
  const changes = edit.changes
    ?? Object.fromEntries((edit.documentChanges ?? []).map((one) => [one.textDocument.uri, one.edits]));
  for (const [uri, edits] of Object.entries(changes)) {
    if (!files.has(uri)) continue;
    show(uri);
    const doc = editor.state.doc;
    editor.dispatch({
      changes: edits.map((one) => ({
        from: offset(doc, one.range.start), to: offset(doc, one.range.end), insert: one.newText,
      })),
    });
  }
}

// ---- samples and patterns

async function refreshSamples() {
  const found = await connection.command("samples", root, element("of").value, String(seed));
  element("sampled").innerHTML = found.html ?? "";
}

async function refreshPatterns() {
  const before = new Map([...document.querySelectorAll("#patterns details.pattern")].map((one) => [one.dataset.pattern, one]));
  const refuted = (card) => Boolean(card?.querySelector(".state.bad"));
  const found = await connection.command("patterns", root);
  element("patterns").innerHTML = found.html ?? "";
  for (const card of document.querySelectorAll("#patterns details.pattern")) {
    const name = card.dataset.pattern;
    const known = [...element("of").options].some((one) => one.value === name);
    if (!known) element("of").append(new Option(name.replaceAll("_", " "), name));
    const load = async () => {
      const pair = await connection.command("pair", root, card.dataset.pattern);
      card.querySelector(".pair").innerHTML = pair.html;
    };
    card.addEventListener("toggle", () => card.open && load());
    const earlier = before.get(name);
    // A claim that fails is shown at once, and once closed by hand stays closed until it holds again.
    card.open = refuted(card) && !refuted(earlier) ? true : Boolean(earlier?.open);
  }
}

let published = 0;
function refresh() {
  clearTimeout(published);
  published = setTimeout(() => {
    refreshMessages();
    refreshSamples();
    refreshPatterns();
  }, 30);
}

// ---- the buttons

function view(name) {
  for (const tab of element("views").children) {
    const own = tab.getAttribute("aria-controls") === name;
    tab.setAttribute("aria-selected", own);
    element(tab.getAttribute("aria-controls")).hidden = !own;
  }
}

for (const tab of element("views").children) tab.addEventListener("click", () => view(tab.getAttribute("aria-controls")));
for (const list of [element("files"), element("views")]) {
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const tabs = [...list.children];
    if (step) tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length]?.focus();
  });
}
element("of").addEventListener("change", refreshSamples);
element("again").addEventListener("click", () => ((seed += 1), refreshSamples()));
element("grammar").addEventListener("change", () => {
  if (!unsaved || confirm("Your changes are not saved. If you open another grammar, they are lost.")) open(element("grammar").value);
  else element("grammar").value = root;
});
addEventListener("beforeunload", (event) => unsaved && event.preventDefault());
element("save").addEventListener("click", async () => {
  for (const file of files.values()) send(file);
  try {
    const done = await connection.command("save", root);
    savable(false);
    element("save").textContent = done.saved.length ? `Saved ${done.saved.join(", ")}` : "Nothing to save";
  } catch (problem) {
    say(problem.message, true);
  }
});
element("download").addEventListener("click", async () => {
  say("compiling");
  element("download").disabled = true;
  try {
    const done = await connection.command("dataset", root);
    element("said").innerHTML = done.html;
    element("result").showModal();
    if (done.folder) location.assign(`/dataset/${done.folder}.zip?token=${settings.token}`);
    say(done.folder ? "compiled" : "not compiled", !done.folder);
  } catch (problem) {
    say(problem.message, true);
  } finally {
    element("download").disabled = false;
  }
});

// ---- the start

const connection = new Connection(`ws://${location.host}/connection?token=${settings.token}`);
connection.on("textDocument/publishDiagnostics", ({ uri, diagnostics: found }) => {
  found.length ? diagnostics.set(uri, found) : diagnostics.delete(uri);
  refresh();
});
await connection.opened;
await connection.ask("initialize", {
  processId: null,
  rootUri: null,
  capabilities: {
    textDocument: {
      hover: { contentFormat: ["plaintext", "markdown"] },
      codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } } },
    },
    workspace: { workspaceEdit: { documentChanges: false } },
  },
});
connection.tell("initialized", {});
await open(settings.start);
document.body.dataset.ready = "yes";
