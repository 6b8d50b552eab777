// Shows the screen of a terminal with its colours. Only the sequences that set colours and
// attributes are followed; all others are left out.

import { element } from "./elements.js";

const SEQUENCE =
  /\x1b(?:\[([0-9:;]*)([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[()*+#%][^\x1b]?|.?)/gs;
const ATTRIBUTES = { 1: "bold", 2: "faint", 3: "italic", 4: "underline", 7: "inverse", 9: "strike" };

export function terminal(text, name) {
  const spans = [];
  let style = {};
  let at = 0;
  const add = (piece) => {
    const plain = piece.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "");
    if (plain) spans.push(draw(plain, style));
  };
  for (const match of text.matchAll(SEQUENCE)) {
    add(text.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[2] === "m") style = follow(style, match[1]);
  }
  add(text.slice(at));
  return element("pre", { class: "terminal", tabindex: "0", role: "region", "aria-label": name }, spans);
}

function draw(text, style) {
  const classes = Object.values(ATTRIBUTES).filter((attribute) => style[attribute]);
  for (const [part, letter] of [
    ["ink", "i"],
    ["paper", "p"],
  ]) {
    if (typeof style[part] === "number") classes.push(`${letter}${style[part]}`);
  }
  if (classes.length === 0 && !style.ink && !style.paper) return text;
  const span = element("span", { class: classes.join(" ") }, text);
  if (typeof style.ink === "string") span.style.color = style.ink;
  if (typeof style.paper === "string") span.style.backgroundColor = style.paper;
  return span;
}

// Returns the numbers of a part such as `1`, `4:3` (a curly underline) or `38:2::255:0:0`.
function readNumbers(part) {
  const [code, ...rest] = part.split(":");
  if (rest.length === 0) return [Number(code)];
  if (code === "4") return [rest[0] === "0" ? 24 : 4];
  return [code, ...rest.filter((number) => number !== "")].map(Number);
}

// Returns the style after a sequence of numbers, as in `ESC [ 1;31 m`.
function follow(style, text) {
  const next = { ...style };
  const numbers = text.split(";").flatMap(readNumbers);
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at];
    if (code === 0) for (const name of Object.keys(next)) delete next[name];
    else if (ATTRIBUTES[code]) next[ATTRIBUTES[code]] = true;
    else if (code === 22) next.bold = next.faint = false;
    else if (ATTRIBUTES[code - 20]) next[ATTRIBUTES[code - 20]] = false;
    else if (code >= 30 && code <= 37) next.ink = code - 30;
    else if (code >= 90 && code <= 97) next.ink = code - 82;
    else if (code === 39) delete next.ink;
    else if (code >= 40 && code <= 47) next.paper = code - 40;
    else if (code >= 100 && code <= 107) next.paper = code - 92;
    else if (code === 49) delete next.paper;
    else if ([38, 48, 58].includes(code)) {
      const [colour, used] = readColour(numbers.slice(at + 1));
      at += used;
      if (code === 38) next.ink = colour;
      if (code === 48) next.paper = colour;
    }
  }
  return next;
}

// Reads `5;NUMBER` or `2;RED;GREEN;BLUE`. Returns the colour and the count of numbers used.
function readColour(numbers) {
  if (numbers[0] === 2) {
    const parts = numbers.slice(1, 4).map((part) => Math.min(255, part || 0));
    return [`rgb(${parts.join(",")})`, 4];
  }
  const index = numbers[1] ?? 0;
  if (index < 16) return [index, 2];
  if (index >= 232) {
    const grey = 8 + 10 * (Math.min(index, 255) - 232);
    return [`rgb(${grey},${grey},${grey})`, 2];
  }
  const level = (step) => (step === 0 ? 0 : 55 + 40 * step);
  const cube = index - 16;
  const parts = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level);
  return [`rgb(${parts.join(",")})`, 2];
}
