// Builds elements of the page. All text of the town is set as text, never as markup.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "click") made.onclick = value;
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== "") made.append(child);
  }
  return made;
}

// An element of a drawing.
export function shape(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null));
  return made;
}

// Gives `parent` these children. Nodes that are alike stay, with their focus, scroll position and
// opened details. `data-key` distinguishes the nodes of a list.
export function replaceChildren(parent, ...children) {
  const wanted = element("div", {}, children);
  patchChildren(parent, [...wanted.childNodes]);
}

function patchChildren(parent, wanted) {
  const keys = new Set(wanted.map(keyOf).filter(Boolean));
  const kept = new Map();
  for (const child of [...parent.children]) {
    const key = keyOf(child);
    if (!key) continue;
    if (keys.has(key)) kept.set(key, child);
    else child.remove();
  }
  let at = parent.firstChild;
  for (const node of wanted) {
    const key = keyOf(node);
    const match = key ? kept.get(key) : at && !keyOf(at) ? at : null;
    if (!match || !isAlike(match, node)) {
      parent.insertBefore(node, at);
      continue;
    }
    if (match === at) at = at.nextSibling;
    else parent.insertBefore(match, at);
    patchNode(match, node);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function keyOf(node) {
  return node.dataset?.key;
}

function isAlike(node, other) {
  return node.nodeType === other.nodeType && node.nodeName === other.nodeName;
}

function patchNode(node, wanted) {
  if (node.nodeType === Node.TEXT_NODE) {
    if (node.data !== wanted.data) node.data = wanted.data;
    return;
  }
  for (const { name, value } of [...wanted.attributes]) {
    if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  }
  for (const { name } of [...node.attributes]) {
    if (!wanted.hasAttribute(name) && name !== "open") node.removeAttribute(name);
  }
  node.onclick = wanted.onclick;
  patchChildren(node, [...wanted.childNodes]);
}

export function link(kind, id, text = id) {
  return element("a", { href: `#/${kind}/${encodeURIComponent(id)}` }, text);
}

export function section(title, count, ...children) {
  const heading = element("h2", {}, count === null ? title : `${title}: ${count}`);
  return element("section", {}, heading, ...children);
}

// A list. `keyOfEntry` names an entry, so that it keeps its place in the document.
export function rows(list, describe, empty, keyOfEntry = () => null) {
  if (list.length === 0) return element("p", { class: "dim" }, empty);
  const items = list.map((entry) => element("li", { "data-key": keyOfEntry(entry) }, describe(entry)));
  return element("ul", { class: "rows" }, items);
}

export function block(text, name) {
  return element("pre", { tabindex: "0", role: "region", "aria-label": name }, text);
}

export function prose(text, name) {
  return element("pre", { class: "text", tabindex: "0", role: "region", "aria-label": name }, text);
}

export function patch(text) {
  const lines = text.split("\n").map((line) => {
    const tone = line.startsWith("+")
      ? "good"
      : line.startsWith("-")
        ? "bad"
        : line.startsWith("diff ")
          ? "caution"
          : null;
    return element("span", { class: tone }, `${line}\n`);
  });
  return element("pre", { tabindex: "0", role: "region", "aria-label": "Changes" }, lines);
}

// A table whose first column names its lines.
export function table(name, header, lines) {
  const head = element(
    "tr",
    {},
    header.map((cell) => element("th", { scope: "col" }, cell)),
  );
  const body = lines.map((line) =>
    element(
      "tr",
      {},
      line.map((cell) => element("td", {}, typeof cell === "number" ? cell.toLocaleString("en") : cell)),
    ),
  );
  return element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": name },
    element("table", {}, element("thead", {}, head), element("tbody", {}, body)),
  );
}

// The units of a time, the largest first. Times are cut to a unit and never rounded up, as in the
// texts of `gt`.
const UNITS = [
  ["y", 31536000],
  ["mo", 2592000],
  ["d", 86400],
  ["h", 3600],
  ["m", 60],
  ["s", 1],
];

// A number of seconds in its largest unit. `null` below five seconds.
function largestUnit(seconds) {
  if (seconds < 5) return null;
  const [unit, length] = UNITS.find(([, length]) => seconds >= length);
  return `${Math.floor(seconds / length)}${unit}`;
}

export function age(time) {
  const seconds = Math.floor((Date.now() - Date.parse(time)) / 1000);
  if (!Number.isFinite(seconds)) return "";
  const text = largestUnit(seconds);
  return text ? `${text} ago` : "just now";
}

export function since(time) {
  return element("time", { datetime: time, title: moment(time), class: "dim right" }, age(time));
}

// The local time in a short form, as in "Nov 23 09:07", or with seconds.
export function moment(time, second = undefined) {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return time;
  const day = at.toLocaleDateString("en", {
    month: "short",
    day: "numeric",
    year: at.getFullYear() === new Date().getFullYear() ? undefined : "numeric",
  });
  return `${day} ${at.toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", second, hourCycle: "h23" })}`;
}

// A text of the town with its times in the local short form.
export function localTimes(text) {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (time) => moment(time));
}

// The time until an instant: "in 3h".
export function timeUntil(time) {
  const text = largestUnit(Math.floor((Date.parse(time) - Date.now()) / 1000));
  return text ? `in ${text}` : "now";
}

// A duration: "4.2s", "12m", "3h 5m".
export function duration(seconds) {
  if (seconds < 60) return `${(Math.floor(seconds * 10) / 10).toFixed(1)}s`;
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes}m` : `${hours}h ${minutes % 60}m`;
}

export function estimated(seconds) {
  return seconds < 60 ? "less than a minute" : `about ${duration(seconds)}`;
}

// Costs. A plus sign means that some tokens have no price, and a dash that none has one.
export function dollars(sum) {
  const all = Object.values(sum.tokens).reduce((total, count) => total + count, 0);
  if (sum.unpriced_tokens > 0 && sum.unpriced_tokens === all) return "-";
  return `$${sum.cost_usd.toFixed(2)}${sum.unpriced_tokens ? "+" : ""}`;
}

// The state of a thing and the commands that advance it.
export function stateNow(found) {
  const lines = found
    ? found.now.map(localTimes).concat(found.next_steps.map((command) => element("code", {}, command)))
    : [];
  return lines.length > 0
    ? section(
        "Now",
        null,
        rows(lines, (line) => line, ""),
      )
    : null;
}

// The views of the things that a key of an event names.
const LINKED_KEYS = {
  bead: "bead",
  beads: "bead",
  task: "bead",
  work: "bead",
  mr: "request",
  request: "request",
  convoy: "convoy",
  rig: "rig",
};

// A sentence about an event, in which the ids of beads, requests, convoys and rigs and the addresses of
// agents are links.
export function linkedText(text, payload) {
  const views = new Map();
  for (const [key, value] of Object.entries(payload ?? {})) {
    for (const word of [value].flat()) {
      if (typeof word !== "string" || word === "") continue;
      if (LINKED_KEYS[key]) views.set(word, [LINKED_KEYS[key], word]);
      else if (/^[\w-]+\/(polecats|crew)\/[\w-]+$/.test(word)) views.set(word, ["agent", word]);
    }
  }
  if (payload?.rig && payload.polecat) {
    const address = `${payload.rig}/polecats/${payload.polecat}`;
    for (const name of [address, `${payload.rig}/${payload.polecat}`]) views.set(name, ["agent", address]);
  }
  return text.split(/([\w./-]*\w)/).map((word) => {
    const known = views.get(word);
    return known ? link(known[0], known[1], word) : word;
  });
}

// The events of a thing. The address of a page may name one by its time.
export function eventList(found) {
  if (!found) return null;
  const describe = (event) =>
    element(
      "div",
      { "data-at": event.ts, tabindex: "-1" },
      linkedText(localTimes(event.text), event.payload),
      since(event.ts),
    );
  return section("Events", null, rows(found.events, describe, "no events"));
}
