// A graph of beads as a picture that can be moved and scaled. The layout comes from the daemon.

import { element, section, shape } from "./elements.js";

const SCALES = [0.25, 0.35, 0.5, 0.7, 0.85, 1, 1.2, 1.5, 2, 3];
const WHOLE = SCALES.indexOf(1);
const MARGIN = 16;

let scale = WHOLE;

function describeBox(graph, box) {
  const needs = box.needs.map((need) => graph.boxes[need].id);
  const after = needs.length > 0 ? `, after ${needs.join(", ")}` : "";
  const path = box.is_critical ? ", on the longest chain" : "";
  return `${box.id}: ${box.title} (${box.state}${after}${path})`;
}

function beadAddress(box) {
  return `#/bead/${encodeURIComponent(box.id)}`;
}

function drawBox(graph, box, addressOf) {
  const text = describeBox(graph, box);
  // A box has room for 25 characters of the font.
  const title = box.title.length > 25 ? `${box.title.slice(0, 24)}…` : box.title;
  return shape(
    "a",
    {
      href: addressOf(box),
      class: `${box.state}${box.is_critical ? " critical" : ""}`,
    },
    shape("title", {}, text),
    shape("path", { class: "box", d: box.outline }),
    shape("text", { class: "id", x: box.x + 12, y: box.y + 20 }, `${box.symbol} ${box.id}`),
    shape("text", { x: box.x + 12, y: box.y + 36 }, title),
  );
}

function drawArrow(arrow) {
  return shape("path", {
    class: `arrow${arrow.is_critical ? " critical" : ""}`,
    d: arrow.curve,
    "marker-end": "url(#arrow-tip)",
  });
}

function drawGraph(graph, addressOf) {
  const width = graph.width + 2 * MARGIN;
  const height = graph.height + 2 * MARGIN;
  const tip = shape(
    "marker",
    {
      id: "arrow-tip",
      viewBox: "0 0 8 8",
      refX: 8,
      refY: 4,
      markerWidth: 8,
      markerHeight: 8,
      markerUnits: "userSpaceOnUse",
      orient: "auto",
    },
    shape("path", { class: "tip", d: "M0 0L8 4L0 8Z" }),
  );
  return shape(
    "svg",
    {
      width: width * SCALES[scale],
      height: height * SCALES[scale],
      viewBox: `-${MARGIN} -${MARGIN} ${width} ${height}`,
      role: "group",
      "aria-label": `Graph of ${graph.boxes.length} boxes`,
    },
    shape("defs", {}, tip),
    ...graph.arrows.map(drawArrow),
    ...graph.boxes.map((box) => drawBox(graph, box, addressOf)),
  );
}

// Returns the section of a graph. `null` if there is none, or if no bead of it waits for another.
export function graphSection(
  graph,
  title = "Graph",
  addressOf = beadAddress,
  chain = "the longest chain of beads that are still to be done",
) {
  if (!graph || graph.arrows.length === 0) return null;
  const picture = document.createElement("div");
  picture.className = "picture";
  picture.tabIndex = 0;
  picture.setAttribute("role", "region");
  picture.setAttribute("aria-label", "Graph: drag or scroll to move it, plus, minus and 0 to scale it");
  picture.append(drawGraph(graph, addressOf));
  const button = (text, label, to) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.setAttribute("aria-label", label);
    made.onclick = (event) => setScale(event.target.closest("section").querySelector(".picture"), to());
    return made;
  };
  const buttons = document.createElement("p");
  buttons.className = "answers";
  buttons.append(
    button("−", "Smaller", () => scale - 1),
    button("1:1", "1:1, the original size", () => WHOLE),
    button("+", "Larger", () => scale + 1),
  );
  const isCritical = graph.boxes.some((box) => box.is_critical);
  const legend = isCritical ? element("p", { class: "dim" }, `Thick line: ${chain}`) : null;
  return section(title, graph.boxes.length, buttons, picture, legend);
}

// Scales the picture around the middle of what is seen.
function setScale(picture, index) {
  const next = Math.min(Math.max(index, 0), SCALES.length - 1);
  const svg = picture.querySelector("svg");
  const factor = SCALES[next] / SCALES[scale];
  const middle = {
    x: (picture.scrollLeft + picture.clientWidth / 2) * factor,
    y: (picture.scrollTop + picture.clientHeight / 2) * factor,
  };
  for (const side of ["width", "height"]) svg.setAttribute(side, Number(svg.getAttribute(side)) * factor);
  picture.scrollTo(middle.x - picture.clientWidth / 2, middle.y - picture.clientHeight / 2);
  scale = next;
}

// The listeners are the document's, because a redrawn page keeps its elements.
document.addEventListener("keydown", (event) => {
  const picture = event.target.closest?.(".picture");
  if (!picture || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "+" || event.key === "=") setScale(picture, scale + 1);
  else if (event.key === "-") setScale(picture, scale - 1);
  else if (event.key === "0") setScale(picture, WHOLE);
});

document.addEventListener(
  "wheel",
  (event) => {
    const picture = event.target.closest?.(".picture");
    if (!picture || !event.ctrlKey) return;
    event.preventDefault();
    setScale(picture, scale + (event.deltaY < 0 ? 1 : -1));
  },
  { passive: false },
);

let dragged = null;

document.addEventListener("pointerdown", (event) => {
  const picture = event.target.closest?.(".picture");
  // A touch scrolls by itself.
  if (!picture || event.pointerType !== "mouse" || event.target.closest("a")) return;
  dragged = { picture, x: event.clientX + picture.scrollLeft, y: event.clientY + picture.scrollTop };
  event.preventDefault();
  picture.focus();
});

document.addEventListener("pointermove", (event) => {
  dragged?.picture.scrollTo(dragged.x - event.clientX, dragged.y - event.clientY);
});

for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, () => {
    dragged = null;
  });
}
