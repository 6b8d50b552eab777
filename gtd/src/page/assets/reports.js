// Costs.

import { dollars, element, link, moment, replaceChildren, since, table } from "./elements.js";
import { comparison, METRICS, PLOT_GROUPS, plotSection } from "./plot.js";
import { read } from "./server.js";

const GROUPS = ["agent", "bead", "convoy", "kind", "model", "rig", "role", "runtime", "session"];

function describeBudget(budget) {
  const text = `${budget.kind.replace("_", " ")} ${budget.subject}: $${budget.spent_usd.toFixed(2)} of $${budget.limit_usd.toFixed(2)}`;
  const tone =
    budget.spent_usd >= budget.limit_usd ? "bad" : budget.spent_usd >= 0.8 * budget.limit_usd ? "caution" : null;
  const forecast =
    budget.forecast_usd === undefined
      ? null
      : element(
          "span",
          { class: "dim" },
          ` $${budget.forecast_usd.toFixed(2)} by midnight at the rate of the last hour`,
        );
  return element("p", { class: tone }, text, forecast);
}

function describeBeads(beads) {
  const each = (cost) => (cost === undefined ? "" : ` ($${cost.toFixed(2)} each)`);
  const dispatched = `${beads.dispatched_beads} ${beads.dispatched_beads === 1 ? "bead" : "beads"} dispatched`;
  return `${dispatched}${each(beads.cost_per_dispatched_bead_usd)}, ${beads.merged_beads} merged${each(beads.cost_per_merged_bead_usd)}`;
}

// The length of a window as `5-hour` or `7-day`. Some programs count a minute less.
function describeLength(minutes) {
  const hours = Math.floor((minutes + 30) / 60);
  if (hours === 0) return `${minutes}-minute`;
  return hours % 24 === 0 ? `${hours / 24}-day` : `${hours}-hour`;
}

function describeWindow(found) {
  const account = found.account ? ` account ${found.account}` : "";
  const name = `${found.runtime}${account}, ${describeLength(found.window_minutes)} window`;
  const end = found.resets_at ? moment(found.resets_at) : null;
  if (end && Date.parse(found.resets_at) <= Date.now())
    return element("p", {}, `${name}: unknown since it was reset at ${end}`);
  return element(
    "p",
    {},
    `${name}: ${Math.round(found.used_percent)} % used${end ? `, resets at ${end}` : ""}`,
    since(found.at),
  );
}

// The groups whose keys have a view.
const LINKED = ["agent", "bead", "convoy", "session"];

// `choice` is the group of today's costs, the number of the plot and its group, as in `agent.cost.rig`.
export async function showCosts(main, choice = "") {
  const [by = "agent", metric = "cost", plotGroup = "none"] = choice.split(".").filter(Boolean);
  const query = plotGroup === "none" ? "" : `&by=${encodeURIComponent(plotGroup)}`;
  const daily = await read(`/api/daily?metric=${encodeURIComponent(metric)}${query}`);
  const address = (group, number, groupOfPlot) => `#/costs/${group}.${number}.${groupOfPlot}`;
  const choose = (name, label, choices, chosen, hrefOf) =>
    element(
      "nav",
      { class: "groups", "aria-label": label },
      name,
      Object.entries(choices).map(([key, text]) =>
        element("a", { href: hrefOf(key), "aria-current": key === chosen ? "true" : null }, text),
      ),
    );
  const costs = await read(`/api/costs?by=${encodeURIComponent(by)}`);
  const hasRecords = costs.rows.some((row) => row.record);
  const lines = costs.rows.map((row) => [
    row.key ? (LINKED.includes(by) ? link(by, row.key) : row.key) : "(none)",
    dollars(row),
    row.tokens.input,
    row.tokens.cache_read,
    row.tokens.cache_write + row.tokens.cache_write_1h,
    row.tokens.output,
    ...(hasRecords
      ? [row.record?.merged ?? "", row.cost_per_merge_usd === undefined ? "" : `$${row.cost_per_merge_usd.toFixed(2)}`]
      : []),
  ]);
  const header = [
    by[0].toUpperCase() + by.slice(1),
    "Cost",
    "Input",
    "Cache read",
    "Cache written",
    "Output",
    ...(hasRecords ? ["Merged", "Per merge"] : []),
  ];
  const groups = Object.fromEntries(GROUPS.map((group) => [group, group]));
  replaceChildren(
    main,
    element("h1", {}, `Costs today: ${dollars(costs.total)}`),
    metric === "cost" ? element("p", {}, comparison(daily)) : null,
    element(
      "p",
      { class: "dim" },
      `$${costs.last_hour_usd.toFixed(2)} in the last hour, by list prices of ${costs.prices_of}`,
    ),
    (costs.budgets ?? []).map(describeBudget),
    (costs.usage_windows ?? []).map(describeWindow),
    choose("Show ", "Show the days by", METRICS, metric, (key) => address(by, key, plotGroup)),
    choose("By ", "Group the days by", PLOT_GROUPS, plotGroup, (key) => address(by, metric, key)),
    plotSection(daily),
    element("h2", {}, "Today"),
    costs.beads.dispatched_beads > 0 ? element("p", {}, describeBeads(costs.beads)) : null,
    choose("By ", "Group costs by", groups, by, (key) => address(key, metric, plotGroup)),
    lines.length > 0
      ? table("Costs", header, lines)
      : element("p", { class: "dim" }, "No session has used tokens today."),
    costs.models_without_price.length > 0
      ? element("p", { class: "caution" }, `No price is known for ${costs.models_without_price.join(", ")}.`)
      : null,
    costs.unread.length > 0
      ? element("p", { class: "dim" }, `Not included: sessions without a transcript, of ${costs.unread.join(", ")}.`)
      : null,
  );
}
