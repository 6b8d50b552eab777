// Costs and settings.

import { dollars, element, replaceChildren, rows, section, table } from "./elements.js";
import { read } from "./server.js";

export async function showCosts(main) {
  const costs = await read("/api/costs");
  const lines = costs.rows.map((row) => [
    row.key || "(none)", dollars(row), row.tokens.input, row.tokens.cache_read, row.tokens.cache_write + row.tokens.cache_write_1h, row.tokens.output,
  ]);
  replaceChildren(main,
    element("h1", {}, `Costs today: ${dollars(costs.total)}`),
    (costs.budgets ?? []).map((budget) => element("p", {}, `${budget.kind} ${budget.subject}: $${budget.spent_usd.toFixed(2)} of $${budget.limit_usd.toFixed(2)}`)),
    lines.length > 0
      ? table("Costs", ["Agent", "Cost", "Input", "Cached", "Written", "Output"], lines)
      : element("p", { class: "dim" }, "No session has used tokens today."),
    costs.models_without_price.length > 0 ? element("p", { class: "caution" }, `No price is known for ${costs.models_without_price.join(", ")}.`) : null,
    costs.unread.length > 0 ? element("p", { class: "dim" }, `Not included: sessions without a transcript, of ${costs.unread.join(", ")}.`) : null,
  );
}

export async function showSettings(main) {
  const all = await read("/api/settings");
  const town = new Map(all[""].map((row) => [row.key, JSON.stringify(row.value)]));
  const text = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  const describe = (row) => [
    element("code", {}, `${row.key} = ${text(row.value)}`), element("span", { class: "dim right" }, row.origin),
    element("div", { class: "dim" }, row.meaning),
  ];
  const byKey = (row) => row.key;
  const rigs = Object.entries(all).filter(([rig]) => rig !== "").map(([rig, settings]) => {
    const own = settings.filter((row) => town.get(row.key) !== JSON.stringify(row.value));
    return section(`Rig ${rig}`, own.length, rows(own, describe, "as the town", byKey));
  });
  replaceChildren(main, element("h1", {}, "Settings"), element("p", { class: "dim" }, "Secrets are masked. gt config set changes a setting."),
    rigs, section("Town", all[""].length, rows(all[""], describe, "none", byKey)));
}
