// A timeline: one bar per bead, worker or queue, with the phases of the work. The same as text.

import { duration, element, link, moment, section, shape, table } from "./elements.js";
import { read } from "./server.js";

// The top and the height of a phase in a bar. Phases differ also without colour.
const PHASES = {
  not_slung: [11, 2],
  blocked: [10, 4],
  waiting_for_worker: [8, 8],
  working: [2, 20],
  waiting_for_user: [2, 20],
  in_queue: [8, 8],
  merging: [5, 14],
  gate: [2, 20],
  rework: [2, 20],
};
const MARKS = {
  attempt: "▶",
  handoff: "↻",
  restart: "↺",
  attempt_ended: "■",
  question: "?",
  gate_failed: "✗",
  merge_failed: "✗",
  merged: "✓",
  closed: "●",
};
const BAR_HEIGHT = 24;
// The width of a mark in percent of a bar.
const MARK_WIDTH = 1.5;

export async function readTimeline(name, hours = null) {
  const query = new URLSearchParams({ name });
  if (hours) query.set("hours", hours);
  const found = await read(`/api/timeline?${query}`).catch(() => null);
  return found ? timelineSection(found) : null;
}

// The address of the event that a part of the timeline comes from.
function eventAddress(bead, at) {
  return `#/bead/${encodeURIComponent(bead)}${at ? `/${encodeURIComponent(at)}` : ""}`;
}

function describeSpan(span, labels) {
  const detail = span.detail ? ` (${span.detail})` : "";
  const worker = span.worker ? ` by ${span.worker}` : "";
  return `${span.bead}: ${labels[span.phase]}${detail}${worker}, ${duration(span.seconds)} from ${moment(span.from, "2-digit")}`;
}

function signOf(mark) {
  return MARKS[mark.kind] ?? "•";
}

function describeMark(mark) {
  return `${signOf(mark)} ${mark.text}, ${moment(mark.at, "2-digit")}`;
}

// Groups marks that would lie on each other. They come oldest first.
function groupMarks(marks, place) {
  const groups = [];
  for (const mark of marks) {
    const last = groups.at(-1);
    if (last && place(mark.at) - place(last[0].at) < MARK_WIDTH) last.push(mark);
    else groups.push([mark]);
  }
  return groups;
}

function drawLane(lane, found, labels) {
  const begin = Date.parse(found.from);
  const length = Math.max(Date.parse(found.to) - begin, 1);
  const place = (time) => (100 * (Date.parse(time) - begin)) / length;
  const spans = lane.spans.map((span) => {
    const [top, height] = PHASES[span.phase] ?? [2, 20];
    const left = place(span.from);
    return shape(
      "a",
      { href: eventAddress(span.bead, span.event_at), class: span.phase },
      shape("title", {}, describeSpan(span, labels)),
      shape("rect", {
        x: `${left}%`,
        y: top,
        width: `${Math.max(place(span.to) - left, 0.4)}%`,
        height,
      }),
    );
  });
  const bead = lane.kind === "bead" ? lane.id : null;
  const marks = groupMarks(lane.marks, place).map((group) => {
    const [mark] = group;
    const title = shape("title", {}, group.map(describeMark).join("\n"));
    const x = `${Math.min(Math.max(place(mark.at), 0.5), 99.5)}%`;
    const sign = group.length > 1 ? `${group.length}` : signOf(mark);
    const text = shape("text", { x, y: 17, class: group.length > 1 ? "several" : mark.kind }, sign);
    return bead ? shape("a", { href: eventAddress(bead, mark.at) }, title, text) : shape("g", {}, title, text);
  });
  const label = `${lane.title || lane.id}: ${lane.spans.length} phases`;
  return shape(
    "svg",
    { class: "bar", width: "100%", height: BAR_HEIGHT, role: "group", "aria-label": label },
    spans,
    marks,
  );
}

function nameLane(lane) {
  if (lane.kind === "bead") return [link("bead", lane.id), ` ${lane.title}`];
  if (lane.kind === "worker") return link("agent", lane.id, lane.title);
  return lane.title;
}

function describeLongest(longest, found) {
  const part = found.totals.length > 1 ? `${longest.percent} % of the time, ` : "";
  const most =
    longest.bead_seconds < longest.seconds
      ? ["; ", link("bead", longest.bead), ` has most of it, ${duration(longest.bead_seconds)}`]
      : null;
  return element("p", {}, `Longest: ${longest.label} (${part}${duration(longest.seconds)}`, most, ")");
}

// The phases that occur, each with its sign and its time.
function legend(totals) {
  const entries = totals.map((total) => {
    const [top, height] = PHASES[total.phase] ?? [2, 20];
    const sign = shape(
      "svg",
      { class: "bar sign", width: 18, height: BAR_HEIGHT, "aria-hidden": "true" },
      shape("g", { class: total.phase }, shape("rect", { x: 0, y: top, width: 18, height })),
    );
    return element("li", {}, sign, ` ${total.label} ${duration(total.seconds)}`);
  });
  const marks = element("li", { class: "dim" }, "A sign on a bar is an event, a number that many in one place");
  return element("ul", { class: "legend", "aria-label": "Phases" }, entries, marks);
}

function timelineTable(found, labels) {
  const lines = found.lanes.flatMap((lane) =>
    lane.spans.map((span) => [
      lane.title || lane.id,
      span.bead,
      labels[span.phase] + (span.detail ? ` (${span.detail})` : ""),
      moment(span.from, "2-digit"),
      duration(span.seconds),
    ]),
  );
  return element(
    "details",
    {},
    element("summary", {}, "As text"),
    table("Timeline as text", ["Line", "Bead", "Phase", "Begin", "Time"], lines),
  );
}

// Since when a target is red, by which commit if that is known, and who repairs it.
export function describeRed(red, start = "Red") {
  const by = red.broken_by_bead
    ? [" by ", link("bead", red.broken_by_bead)]
    : red.broken_by
      ? ` by ${red.broken_by.slice(0, 8)}`
      : null;
  return element(
    "p",
    { class: "bad" },
    `${start} since ${moment(red.since)}`,
    by,
    "; repair ",
    link("bead", red.repair),
    red.repair_assignee ? ` by ${red.repair_assignee}` : ", which no one has",
  );
}

// The command that finds an unknown commit.
function findCommit({ rig, red }) {
  if (red.broken_by) return null;
  return element("p", {}, "To find the commit: ", element("code", {}, `gt mq bisect ${rig}`));
}

// The last commits of a target as a strip, and why it is red.
export function targetStrip(target) {
  const signs = { green: "■", red: "✗", untested: "□" };
  const commits = target.commits.map((commit) => {
    const gates = commit.failed_gates?.length > 0 ? `, failed ${commit.failed_gates.join(", ")}` : "";
    const text = `${commit.hash.slice(0, 8)} ${commit.subject} (${commit.state}${gates}, ${moment(commit.at)})`;
    const sign = element(
      "span",
      { class: `commit ${commit.state}`, title: text, role: "img", "aria-label": text },
      signs[commit.state],
    );
    return element("li", {}, commit.bead ? element("a", { href: eventAddress(commit.bead) }, sign) : sign);
  });
  return [
    element("ol", { class: "strip", "aria-label": `Last commits of ${target.branch}, the newest last` }, commits),
    target.red ? [describeRed(target.red), findCommit(target)] : null,
    element("p", { class: "dim" }, "■ green, ✗ red, □ not tested alone; the newest last"),
  ];
}

function timelineSection(found) {
  if (found.lanes.length === 0 && found.targets === undefined) return null;
  const labels = Object.fromEntries(found.totals.map((total) => [total.phase, total.label]));
  const lanes = found.lanes.map((lane) =>
    element(
      "div",
      { class: "lane", "data-key": `${lane.kind} ${lane.id}` },
      element("div", { class: "lane-name" }, nameLane(lane)),
      drawLane(lane, found, labels),
    ),
  );
  const targets = (found.targets ?? []).map((target) => section(`Target ${target.branch}`, null, targetStrip(target)));
  return [
    section(
      "Timeline",
      null,
      found.longest ? describeLongest(found.longest, found) : null,
      lanes.length > 0
        ? element(
            "div",
            { class: "timeline" },
            element(
              "p",
              { class: "dim axis" },
              element("span", {}, moment(found.from, "2-digit")),
              element("span", {}, moment(found.to, "2-digit")),
            ),
            lanes,
          )
        : element("p", { class: "dim" }, "nothing was worked on in this time"),
      lanes.length > 0 ? legend(found.totals) : null,
      found.hidden_beads > 0
        ? element("p", { class: "dim" }, `${found.hidden_beads} beads with older events are not shown`)
        : null,
      lanes.length > 0 ? timelineTable(found, labels) : null,
    ),
    targets,
  ];
}
