// The numbers of the last days as bars, with the same numbers as a table.

import { block, duration, element, section, table } from "./elements.js";

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 100;

export const METRICS = {
  cost: "costs",
  tokens: "tokens",
  merges: "merges",
  waits: "waits",
  "red-gates": "failed gates",
  restarts: "restarts",
};
export const PLOT_GROUPS = { none: "day", model: "model", rig: "rig" };

const FIELDS = {
  cost: "cost_usd",
  tokens: "tokens",
  merges: "merges",
  waits: "mean_wait_seconds",
  "red-gates": "red_gates",
  restarts: "restarts",
};
const TITLES = {
  cost: "Costs",
  tokens: "Tokens",
  merges: "Merged requests",
  waits: "Mean wait of requests before their merge began",
  "red-gates": "Failed runs of gates",
  restarts: "Restarts of workers",
};

function shape(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// A number as text. A dash means that there is none.
function format(metric, value) {
  if (value === null || value === undefined) return "-";
  if (metric === "cost") return `$${value.toFixed(2)}`;
  if (metric === "waits") return duration(value);
  return value.toLocaleString("en", { maximumFractionDigits: 1 });
}

// Today's number beside the average of the seven days before.
export function comparison(daily) {
  const text = (value) => format(daily.metric, value);
  const { today, last_week, daily_average } = daily.comparison;
  return daily.metric === "waits"
    ? `Today: ${text(today)} on average. The seven days before: ${text(daily_average)}`
    : `Today: ${text(today)}. Last week: ${text(daily_average)} per day (${text(last_week)} in seven days)`;
}

// Days are named as in the terminal: "Nov 9".
function nameDay(day) {
  return new Date(`${day}T12:00:00Z`).toLocaleDateString("en", { month: "short", day: "numeric", timeZone: "UTC" });
}

function drawBars(values, names, max) {
  return values.map((value, place) => {
    const height = value > 0 ? Math.max((value / max) * HEIGHT, 1) : 0;
    return shape(
      "rect",
      { class: "bar", x: place + 0.1, y: HEIGHT - height, width: 0.8, height },
      shape("title", {}, names[place]),
    );
  });
}

function drawPlot(daily, label) {
  const field = FIELDS[daily.metric];
  const values = daily.days.map((day) => day[field] ?? 0);
  const max = Math.max(...values);
  const names = daily.days.map((day) => `${nameDay(day.day)}: ${format(daily.metric, day[field])}`);
  const axis = max > 0 ? [max, max / 2, 0] : [0];
  const last = daily.days.length - 1;
  const marked = [...new Set([0, Math.floor((last + 1) / 2), last])];
  return element(
    "div",
    { class: "plot" },
    element(
      "div",
      { class: "plot-axis", "aria-hidden": "true" },
      axis.map((value) => element("span", {}, format(daily.metric, value))),
    ),
    shape(
      "svg",
      { viewBox: `0 0 ${values.length} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
      ...drawBars(values, names, max),
    ),
    element(
      "div",
      { class: "plot-days", "aria-hidden": "true" },
      marked.map((place) => element("span", {}, nameDay(daily.days[place].day))),
    ),
  );
}

function drawSparkline(values) {
  const max = Math.max(...values);
  return shape(
    "svg",
    {
      class: "sparkline",
      viewBox: `0 0 ${values.length} ${HEIGHT}`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    },
    ...drawBars(
      values,
      values.map(() => ""),
      max,
    ),
  );
}

function groupTable(daily) {
  if (!daily.by) return null;
  const field = FIELDS[daily.metric];
  const lines = daily.groups
    .filter((group) => group.total[field] > 0)
    .map((group) => [
      group.key || "(none)",
      format(daily.metric, group.total[field]),
      format(daily.metric, group.days.at(-1)[field]),
      drawSparkline(group.days.map((day) => day[field] ?? 0)),
    ]);
  if (lines.length === 0) return null;
  const name = daily.by[0].toUpperCase() + daily.by.slice(1);
  return table(`By ${daily.by}`, [name, "In all", "Today", "By day"], lines);
}

function dayTable(daily) {
  const lines = daily.days.map((day) => [
    day.recorded ? day.day : `${day.day} (no record)`,
    ...Object.keys(METRICS).map((metric) => format(metric, day[FIELDS[metric]])),
  ]);
  const header = ["Day", ...Object.values(METRICS).map((name) => name[0].toUpperCase() + name.slice(1))];
  return table("Numbers by day", header, lines);
}

// The plot of the chosen number, and its numbers as tables.
export function plotSection(daily) {
  const title = `${TITLES[daily.metric]} of ${daily.days.length} days`;
  const total = format(daily.metric, daily.total[FIELDS[daily.metric]]);
  const sum = daily.metric === "waits" ? `${total} over ${daily.total.waits} requests` : `${total} in all`;
  const command = `gt costs --plot --metric ${daily.metric}${daily.by ? ` --by ${daily.by}` : ""} --json`;
  return section(
    title,
    null,
    daily.metric === "cost" ? null : element("p", {}, comparison(daily)),
    element("p", { class: "dim" }, sum),
    drawPlot(daily, `${title}: ${sum}. ${comparison(daily)}. The table has each day.`),
    groupTable(daily),
    element("details", {}, element("summary", {}, "Numbers by day"), dayTable(daily)),
    element(
      "details",
      {},
      element("summary", {}, "JSON"),
      element("p", {}, element("code", {}, command)),
      block(JSON.stringify(daily, null, 1), "Numbers as JSON"),
    ),
    daily.problems.map((problem) => element("p", { class: "caution" }, problem)),
  );
}
