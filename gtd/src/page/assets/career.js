// What models, agent programs and workers have finished: comparisons of each kind of work, and cards.

import { dollars, duration, element, link, rows, since, table } from "./elements.js";

function submittedPart(counts) {
  return `${counts.as_submitted} of ${counts.finished}`;
}

// A part of few tells nothing, so it is not shown without its interval.
function describeInterval(group) {
  if (!group.is_compared || !group.interval) return "too few";
  return `${group.interval.low_percent}–${group.interval.high_percent} %`;
}

// A table for each kind of work, the best first, with the result as its heading.
export function describeKinds(career) {
  if (career.kinds.length === 0) return element("p", { class: "dim" }, "no finished work yet");
  return career.kinds.map((kind) =>
    element(
      "div",
      { "data-key": `kind-${career.by}-${kind.kind}` },
      element("h3", {}, `${kind.kind}: ${kind.text}`),
      table(
        `${kind.kind} by ${career.by}`,
        [career.by, "As submitted", "95 % interval", "Merged", "Abandoned"],
        kind.groups.map((group) => [
          group.key || "(unknown)",
          submittedPart(group),
          describeInterval(group),
          group.merged,
          group.abandoned,
        ]),
      ),
    ),
  );
}

function describeCost(card) {
  if (!card.cost) return null;
  const each = card.cost_per_merge_usd;
  return each === undefined ? dollars(card.cost) : `${dollars(card.cost)}, $${each.toFixed(2)} per merge`;
}

function describeTrend(trend) {
  if (!trend) return null;
  const change = { better: "better", worse: "worse", not_shown: "no change shown" }[trend.change];
  return `last ${submittedPart(trend.last)} as submitted, before ${submittedPart(trend.before)}: ${change}`;
}

function listCounts(counts) {
  return counts.map(([name, count]) => `${name || "unknown"} ${count}`).join(", ");
}

// The card of one worker, model or program: the facts that it has, and its last work.
export function describeCard(card) {
  const outcomes = [
    [card.as_submitted, "merged as submitted"],
    [card.reworked, "merged after rework"],
    [card.already_there, "already there"],
    [card.no_change, "without a change"],
    [card.failed, "failed"],
    [card.given_up, "given up"],
    [card.abandoned, "abandoned"],
  ];
  const shown = outcomes.filter(([count]) => count > 0).map(([count, name]) => `${count} ${name}`);
  const facts = [
    ["Finished", [`${card.finished} in all`, ...shown].join(", ")],
    ["Waiting", card.waiting],
    ["Stalls", card.stalls],
    ["Escalations", card.escalations],
    ["Convoys", card.convoys],
    ["Median time", card.median_seconds === undefined ? null : duration(card.median_seconds)],
    ["Costs", describeCost(card)],
    ["Kinds", listCounts(Object.entries(card.kinds))],
    ["Labels", listCounts(card.labels.map((found) => [found.label, found.count]))],
    ["Rating", card.rating ? `${card.rating.mean.toFixed(1)} of 5 (${card.rating.count} rated)` : null],
    ["Trend", describeTrend(card.trend)],
  ];
  const describeWork = (work) => [
    link("bead", work.bead),
    ` ${work.result ?? work.outcome}`,
    since(work.at),
    (work.ratings ?? []).map((rating) =>
      element("div", { class: "dim" }, `rated ${rating.rating} of 5 by ${rating.by}: ${rating.why}`),
    ),
  ];
  return element(
    "div",
    { "data-key": `card-${card.key}` },
    table(
      `Career of ${card.key}`,
      ["Fact", "Value"],
      facts.filter(([, value]) => value !== null && value !== "" && value !== 0),
    ),
    rows(card.last, describeWork, "no work", (work) => `${work.bead} ${work.at}`),
  );
}
