// A bead with its molecule, a convoy, and a merge request.

import {
  block,
  element,
  eventList,
  link,
  localTimes,
  patch,
  prose,
  replaceChildren,
  rows,
  section,
  since,
  stateNow,
} from "./elements.js";
import { graphSection } from "./graph.js";
import { offerButtons, read } from "./server.js";
import { listSessions } from "./sessions.js";
import { readTimeline } from "./timeline.js";
import { describeRequest } from "./town.js";

const STEP_MARKS = { done: "✓", current: "▶", ready: "○", blocked: "◇", pending: "◇" };

// The steps of a molecule in their order, the current one with its text.
function stepper(molecule) {
  if (!molecule) return null;
  const current = molecule.current;
  const done = molecule.steps.filter((step) => step.state === "done").length;
  const steps = molecule.steps.map((step) => {
    const isCurrent = step.state === "current" || (current && step.id && step.id === current.id);
    return element(
      "li",
      { class: isCurrent ? "current" : step.state, "aria-current": isCurrent ? "step" : null },
      element("span", { class: "mark", "aria-hidden": "true" }, STEP_MARKS[isCurrent ? "current" : step.state] ?? "○"),
      element("span", {}, step.id ? link("bead", step.id, step.title) : step.title),
      element("span", { class: "dim" }, ` ${step.state}`),
    );
  });
  const text = current
    ? [current.description, current.acceptance && `Acceptance: ${current.acceptance}`].filter(Boolean).join("\n\n")
    : "";
  return section(
    `Molecule ${molecule.title}`,
    null,
    element("p", { class: "dim" }, `${done} of ${molecule.steps.length} steps done`),
    element("ol", { class: "stepper" }, steps),
    text ? prose(text, "Current step") : null,
  );
}

function capitalise(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export async function showBead(main, id) {
  const [{ bead, data, graph, molecule, explained }, timeline, sessions] = await Promise.all([
    read(`/api/bead/${encodeURIComponent(id)}`),
    readTimeline(id),
    listSessions("bead", id),
  ]);
  const facts = [`P${bead.priority}`, bead.kind, bead.status, bead.assignee && `with ${bead.assignee}`, ...bead.labels];
  const texts = bead.texts
    .map(({ name, text }) => [capitalise(name), text])
    .concat(bead.comments.map(({ name, text }) => [localTimes(name), text]));
  const now = stateNow(explained);
  const isClosed = bead.status === "closed";
  replaceChildren(
    main,
    element("h1", {}, `${bead.id} ${bead.title}`),
    element("p", { class: "dim" }, facts.filter(Boolean).join(" · ")),
    bead.close_reason ? element("p", {}, `Closed: ${bead.close_reason}`) : null,
    isClosed ? null : now,
    stepper(molecule),
    timeline,
    graphSection(graph),
    section(
      "Links",
      bead.links.length,
      rows(
        bead.links,
        (other) => [`${other.relation} `, link("bead", other.id), ` ${other.title} (${other.status})`],
        "none",
      ),
    ),
    texts.map(([name, text]) => section(name, null, prose(text, name))),
    section(
      "Earlier attempts",
      bead.attempts.length,
      rows(bead.attempts, (attempt) => [`${attempt.worker}: ${attempt.why}`, since(attempt.at)], "none"),
    ),
    sessions,
    isClosed ? now : null,
    eventList(explained),
    element(
      "details",
      {},
      element("summary", {}, "The bead as data"),
      block(JSON.stringify(data, null, 2), "The bead as data"),
    ),
  );
}

export async function showConvoy(main, id) {
  const [{ progress, graph, waves, estimate, explained }, timeline] = await Promise.all([
    read(`/api/convoy/${encodeURIComponent(id)}`),
    readTimeline(id),
  ]);
  const { completed: done, total } = progress;
  const tone = { done: "good", working: "" };
  const describe = (bead) => [
    element("span", { class: tone[bead.standing] ?? "caution" }, `${bead.standing} `),
    link("bead", bead.id),
    ` ${bead.title ?? ""}`,
    bead.waits_for?.length > 0
      ? element(
          "div",
          { class: "dim" },
          "after ",
          bead.waits_for.map((other, at) => [at > 0 ? ", " : "", link("bead", other)]),
        )
      : null,
    bead.assignee && ["working", "merging"].includes(bead.standing)
      ? element("div", { class: "dim" }, `by ${bead.assignee}`)
      : null,
    bead.why ? element("div", { class: "dim" }, localTimes(bead.why)) : null,
  ];
  const lists = waves.map((wave, number) =>
    element(
      "section",
      { class: "wave" },
      element("h2", {}, `Wave ${number + 1}: ${wave.length}`),
      rows(wave, describe, "empty", (bead) => bead.id),
    ),
  );
  replaceChildren(
    main,
    element("h1", {}, `${id} ${progress.title ?? ""}`),
    element(
      "p",
      {},
      element("progress", { max: Math.max(total, 1), value: done, "aria-label": `${done} of ${total} beads done` }),
      ` ${done} of ${total} done`,
    ),
    element("p", { class: "dim" }, done < total ? (estimate ?? "no estimate yet") : "all done"),
    graphSection(graph),
    timeline,
    element("div", { class: "waves", tabindex: "0", role: "region", "aria-label": "Beads by wave" }, lists),
    stateNow(explained),
    eventList(explained),
  );
}

export async function showRequest(main, id, overview) {
  const found = await read(`/api/request/${encodeURIComponent(id)}`);
  replaceChildren(
    main,
    element("h1", {}, `${id} ${found.title}`),
    found.row
      ? element("div", {}, describeRequest(found.row))
      : element("p", { class: "dim" }, `no longer in the queue (${found.status})`),
    element("div", { class: "answers" }, offerButtons(overview.offers.requests[id])),
    section("Changes", null, found.diff.trim() ? patch(found.diff) : element("p", { class: "dim" }, "none")),
    section(
      "Logs of failed gates",
      found.gate_logs.length,
      found.gate_logs.map((log) => [
        element("h3", {}, log.path),
        log.text.trim() ? block(log.text, log.path) : element("p", { class: "dim" }, "no output"),
      ]),
    ),
    stateNow(found.explained),
    eventList(found.explained),
  );
}
