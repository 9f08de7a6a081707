/* One event whole: its facts, its payload as a tree or laid out or as it arrived, and the ways to take it along. The
   tree is cut out of the text itself, never parsed and printed again: numbers keep their digits, keys that come twice
   come twice. What lies deep is drawn when it is opened. */
import { html, nothing } from "../vendor/lit-html.js";
import { count, duration, fill, icon, pieces, shown, visible } from "./text.js";

const DEEP = 2;
const LONG = 400;
const IMAGE = /^"data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]+"$/;

/** A JSON text as nodes {kind, text, items: [[key, node]]}; null for what is none. No recursion: depth is anybody's. */
export function parse(text) {
  const token = /\s*(?:("(?:[^"\\]|\\.)*")|([{}[\],:])|([^\s{}[\],:"]+))/gy;
  const root = { kind: "array", items: [] };
  const stack = [root];
  let key = null;
  let last = 0;
  for (let found; (found = token.exec(text)); last = token.lastIndex) {
    const top = stack[stack.length - 1];
    const [, string, sign, word] = found;
    if (sign === "{" || sign === "[") {
      const node = { kind: sign === "{" ? "object" : "array", items: [] };
      top.items.push([key, node]);
      stack.push(node);
      key = null;
    } else if (sign === "}" || sign === "]") {
      if (stack.length < 2 || top.kind !== (sign === "}" ? "object" : "array")) return null;
      stack.pop();
    } else if (sign === ":") {
      const pair = top.kind === "object" ? top.items.pop() : null;
      if (!pair || pair[1].kind !== "string") return null;
      key = pair[1].text;
    } else if (!sign) {
      const kind = string ? "string" : { true: "word", false: "word", null: "word" }[word] || (/^-?\d/.test(word) ? "number" : "");
      if (!kind) return null;
      top.items.push([key, { kind, text: string || word }]);
      key = null;
    }
  }
  return stack.length === 1 && root.items.length === 1 && !text.slice(last).trim() ? root.items[0][1] : null;
}

/** A string token as it reads: escapes of what is plain are undone, and hidden characters become chips. */
function read(token) {
  try {
    return JSON.parse(token);
  } catch {
    return token.slice(1, -1);
  }
}

const element = (name, cls, text) => {
  const made = document.createElement(name);
  made.className = cls;
  if (text !== undefined) {
    const inner = document.createElement("bdi");
    inner.dir = "ltr";
    fill(inner, text);
    made.append(inner);
  }
  return made;
};

function leaf({ kind, text }) {
  if (kind !== "string") return element("span", `j-${kind}`, text);
  if (IMAGE.test(text)) return image(text);
  const value = read(text);
  const inner = element("span", "j-string", value.length > LONG ? `${value.slice(0, LONG)}…` : value);
  if (value.length <= LONG) return inner;
  const more = element("button", "btn", undefined);
  more.type = "button";
  more.textContent = `All ${count(value.length)} characters`;
  more.addEventListener("click", () => {
    inner.replaceWith(element("span", "j-string", value));
    more.remove();
  });
  const both = document.createDocumentFragment();
  both.append(inner, more);
  return both;
}

/** An image is shown when somebody asks for it. */
function image(text) {
  const button = element("button", "btn", undefined);
  button.type = "button";
  button.textContent = `Show an image of ${count(Math.round(text.length * 0.75))} bytes`;
  button.addEventListener("click", () => {
    const shown_ = document.createElement("img");
    shown_.alt = "An image from the payload";
    shown_.src = text.slice(1, -1);
    button.replaceWith(shown_);
  });
  return button;
}

function branch(key, node, depth) {
  const row = element("div", "j");
  const name = key === null ? null : element("b", "j-key", read(key));
  if (!node.items) {
    row.append(...(name ? [name, ": "] : []), leaf(node));
    return row;
  }
  const open = document.createElement("details");
  const told = `${node.kind === "object" ? "{" : "["}${count(node.items.length)}${node.kind === "object" ? "}" : "]"}`;
  const summary = document.createElement("summary");
  summary.append(...(name ? [name, " "] : []), element("span", "j-size", told));
  open.append(summary);
  const grow = () => open.childElementCount < 2 && open.append(...node.items.map(([k, v]) => branch(k, v, depth + 1)));
  open.addEventListener("toggle", grow);
  if (depth < DEEP && node.items.length <= 60) {
    open.open = true;
    grow();
  }
  row.append(open);
  return row;
}

/** A JSON text as a tree of native disclosures; null for what is no JSON. */
export function tree(text) {
  const node = parse(text);
  if (!node) return null;
  const place = element("div", "tree");
  place.append(branch(null, node, 0));
  return place;
}

// ---------------------------------------------------------------- one event

const stripped = (text) => text.replace(/^data:/, "").trim();

/** A text as Python spells it, all of it in ASCII: a line to put into a test. */
export function fixture(e, path) {
  const spelled = Array.from(e.text, (char) => {
    const code = char.codePointAt(0);
    if (char === '"' || char === "\\") return `\\${char}`;
    if (char === "\n") return "\\n";
    if (char === "\t") return "\\t";
    if (code > 0xffff) return `\\U${code.toString(16).padStart(8, "0")}`;
    return code < 32 || code > 126 ? `\\u${code.toString(16).padStart(4, "0")}` : char;
  }).join("");
  return `# event ${e.seq} of ${path}: ${visible(e.kind)}\nFRAME = "${spelled}"\n`;
}

export function event(e, url, pace) {
  const unescaped = e.text.replace(/\\u([0-9a-f]{4})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  const hidden = pieces(unescaped).filter(([odd]) => odd).length;
  // What the server found to be no JSON is shown as it is, however much it looks like some.
  const drawn = e.cut || e.pretty === "" ? null : tree(stripped(e.text));
  const at = e.at && pace.unit === "ms" ? `${duration(e.at - pace.start)} into the turn, ` : "";
  return html`<dl class="facts"><dt>Event</dt><dd class="m">#${count(e.seq)} ${e.kind}</dd>${e.call ? html`<dt>Call</dt><dd class="m">${shown(e.call)}</dd>` : nothing}<dt>Arrived</dt><dd class="m">${at}${e.when || "no time"}</dd><dt>Size</dt><dd class="m">${count(e.bytes)} bytes${hidden ? html`, <span class="word">${count(hidden)} hidden character${hidden > 1 ? "s" : ""}</span>` : nothing}</dd></dl>
${ways(e, url)}
${drawn || html`<pre class="raw">${shown(e.pretty || e.text)}</pre>`}${cut(e, url)}`;
}

export function raw(e, url) {
  return html`${ways(e, url)}<pre class="raw">${shown(e.text)}</pre>${cut(e, url)}`;
}

const ways = (e, url) => html`<div class="ways"><button class="btn" type="button" data-copy=${e.text} title="The characters as they are">${icon("copy")}Copy raw</button><button class="btn" type="button" data-copy=${visible(e.text)} title="Hidden characters spelled">Escaped</button><button class="btn" type="button" data-copy=${fixture(e, url)} title="A line of Python for a test">Fixture</button><span class="sp"></span><a class="btn" href=${url + "?raw=1"} download title="The frame's own bytes">${icon("download")}Whole</a></div>`;
const cut = (e, url) => (e.cut ? html`<p class="none">Shown are the first ${count(e.text.length)} characters. <a class="ref" href=${url + "?raw=1"} download>All ${count(e.bytes)} bytes</a></p>` : nothing);
