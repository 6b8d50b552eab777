// A rig: its agents, its merge queue, the time of its workers and the state of its target.

import { element, link, replaceChildren, rows, section } from "./elements.js";
import { offerButtons } from "./server.js";
import { readTimeline } from "./timeline.js";
import { describeAgent, describeRequest } from "./town.js";

const RANGES = [
  ["1", "1 hour"],
  ["6", "6 hours"],
  ["24", "1 day"],
  ["168", "7 days"],
];

export async function showRig(main, name, overview, range = "24") {
  const timeline = await readTimeline(name, range);
  const rig = overview.status.rigs.find((other) => other.name === name);
  if (!rig) throw new Error(`There is no rig ${name}.`);
  const requests = overview.requests.filter((request) => request.rig === name);
  const ranges = RANGES.map(([hours, text]) =>
    element(
      "a",
      { href: `#/rig/${encodeURIComponent(name)}/${hours}`, "aria-current": hours === range ? "true" : null },
      text,
    ),
  );
  replaceChildren(
    main,
    element("h1", {}, `Rig ${name}`),
    rig.held ? element("p", { class: "caution" }, rig.held.reason) : null,
    element("div", { class: "answers" }, offerButtons(overview.offers.rigs[name])),
    section(
      "Agents",
      rig.agents.length,
      rows(
        rig.agents,
        (agent) => describeAgent(agent, overview.sessions[agent.address]),
        "no agents",
        (agent) => agent.address,
      ),
    ),
    section(
      "Merge queue",
      requests.length,
      rows(requests, describeRequest, "nothing to merge", (request) => request.id),
    ),
    section(
      "Queued for a worker",
      rig.queued.length,
      rows(
        rig.queued,
        (entry) => [link("bead", entry.work_bead_id), ` ${entry.title}`],
        "none",
        (entry) => entry.work_bead_id,
      ),
    ),
    element("nav", { class: "groups", "aria-label": "Range of the timeline" }, "Timeline of ", ranges),
    timeline,
  );
}
