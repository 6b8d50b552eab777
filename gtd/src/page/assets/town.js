// The town, the board, and the results of a search.

import {
  age,
  block,
  duration,
  element,
  estimated,
  link,
  linkedText,
  localTimes,
  moment,
  replaceChildren,
  rows,
  section,
  since,
  timeUntil,
} from "./elements.js";
import { mayAct, offerButtons, read } from "./server.js";
import { describeRed } from "./timeline.js";

// The agents of the town and of its rigs.
export function listAgents(overview) {
  return overview.status.agents.concat(overview.status.rigs.flatMap((rig) => rig.agents));
}

// A worker whose work does not continue.
function isStopped(agent) {
  return agent.state === "stalled" || agent.state === "zombie";
}

export function describeNeed(need, overview) {
  const question = need.question;
  // The end of a worker's last screen is quoted below the reason.
  const text = localTimes(need.text.trim());
  const quote = question ? -1 : text.indexOf("\n\n");
  const reason = quote < 0 ? text : text.slice(0, quote);
  const screen =
    quote < 0
      ? ""
      : text
          .slice(quote + 2)
          .split("\n")
          .filter((line) => line.startsWith("> "))
          .map((line) => line.slice(2))
          .join("\n");
  const about = element("p", { class: "dim" });
  if (question) about.append(`from ${question.from}, ${age(question.since)} `);
  if (need.bead) about.append("about ", link("bead", need.bead));
  if (question?.acked_by) about.append(`, acknowledged by ${question.acked_by}`);
  const answers = offerButtons(overview.offers.needs[need.key]);
  const steps = need.next.map((command) => element("p", {}, element("code", {}, command)));
  const first = answers.length === 0 ? steps.shift() : null;
  const more = [screen ? "Last screen" : "", steps.length > 0 ? "commands" : ""].filter(Boolean).join(", ");
  return element(
    "article",
    { class: need.kind === "stuck" ? "need stuck" : "need", "data-key": need.key },
    element("h3", {}, question ? `${question.severity}: ${need.subject}` : need.subject),
    reason ? element("p", {}, reason) : null,
    about,
    question && !mayAct && question.options.length > 0
      ? element("p", {}, `Answers: ${question.options.join(", ")}`)
      : null,
    answers.length > 0 ? element("div", { class: "answers" }, answers) : null,
    question?.default
      ? element("p", { class: "caution" }, `takes "${question.default.answer}" ${timeUntil(question.default.at)}`)
      : null,
    first,
    more
      ? element(
          "details",
          {},
          element("summary", {}, more.charAt(0).toUpperCase() + more.slice(1)),
          screen ? block(screen, `Last screen of the worker of ${need.bead}`) : null,
          steps,
        )
      : null,
  );
}

const MARKS = {
  working: ["◐", "good"],
  idle: ["○", "dim"],
  running: ["●", "good"],
  stopped: ["○", "dim"],
  stalled: ["!", "bad"],
  zombie: ["✗", "bad"],
  "hands in": ["⇡", "caution"],
  finished: ["○", "dim"],
};

export function describeState(agent) {
  const state =
    agent.state_word ??
    agent.state ??
    (agent.running === true ? "running" : agent.running === false ? "stopped" : "unknown");
  const [mark, tone] = MARKS[state] ?? ["?", "dim"];
  return element("span", { class: tone }, `${mark} ${state}`);
}

function describeCut(host) {
  return host.since
    ? `host ${host.name} is not reachable since ${moment(host.since)}: ${host.reason}`
    : `host ${host.name} does not answer`;
}

export function describeAgent(agent, glance, cost) {
  const parts = [describeState(agent), " ", link("agent", agent.address, agent.name)];
  if (agent.hook_bead) parts.push(" ", link("bead", agent.hook_bead), ` ${agent.work_title ?? ""}`);
  if (agent.progress) parts.push(since(agent.progress.at));
  const facts = [
    agent.host ? `on ${agent.host}` : "",
    glance?.context_tokens ? `${glance.context_tokens.toLocaleString("en")} tokens of context` : "",
    cost,
  ].filter(Boolean);
  if (facts.length > 0) parts.push(element("span", { class: "dim" }, ` ${facts.join(" · ")}`));
  if (glance?.last_line) parts.push(element("div", { class: "dim last-line" }, glance.last_line));
  if (agent.unreachable) parts.push(element("div", { class: "caution" }, describeCut(agent.unreachable)));
  if (isStopped(agent)) parts.push(element("div", { class: "bad" }, agent.why));
  return parts;
}

export function describeRequest(request) {
  const place = request.place ? `${request.place}. ` : "";
  const parts = [
    place,
    link("request", request.id),
    " ",
    link("bead", request.bead),
    ` ${request.title} by ${request.worker}`,
  ];
  if (request.estimate) parts.push(element("span", { class: "dim" }, ` in ${estimated(request.estimate.seconds)}`));
  const times = describeTimes(request.times);
  if (times) parts.push(element("div", { class: "dim" }, times));
  if (request.why) parts.push(element("div", { class: "caution" }, request.why));
  return parts;
}

function describeTimes(times) {
  if (times.waiting_seconds < 60 && times.gates.length === 0) return null;
  const gates = times.gates.map((gate) => `${gate.gate} ${duration(gate.seconds)}`);
  return [`waited ${duration(times.waiting_seconds)}`, ...gates].join(", ");
}

function describeConvoy(convoy, end) {
  const label = `${convoy.completed} of ${convoy.total} beads done`;
  const bar = element("progress", { max: Math.max(convoy.total, 1), value: convoy.completed, "aria-label": label });
  const parts = [bar, ` ${convoy.completed}/${convoy.total} `, link("convoy", convoy.id, convoy.title || convoy.id)];
  if (end) parts.push(element("div", { class: "dim" }, end.text));
  if (convoy.blocked_by.length > 0)
    parts.push(element("div", { class: "bad" }, `blocked by ${convoy.blocked_by.join(", ")}`));
  const holding = convoy.held_up_by;
  if (holding)
    parts.push(
      element("div", { class: "dim" }, "held up by ", link("bead", holding.id, holding.title), `: ${holding.why}`),
    );
  return parts;
}

function describeQueued(entry, rig) {
  const failed = entry.failed ? element("div", { class: "caution" }, `the last try failed: ${entry.failed.why}`) : null;
  const blockers = rig?.waits_for?.[entry.work_bead_id];
  const wait = blockers
    ? `waits for ${blockers.join(", ")}`
    : (rig?.held?.reason ?? rig?.full ?? rig?.usage_limits?.[0] ?? `waits for a worker of rig ${entry.target_rig}`);
  return [
    link("bead", entry.work_bead_id),
    ` ${entry.title} for rig ${entry.target_rig}`,
    since(entry.enqueued_at),
    element("div", { class: "dim" }, wait),
    failed,
  ];
}

export function showTown(main, overview, feed, costs) {
  const status = overview.status;
  const describe = (agent) => describeAgent(agent, overview.sessions[agent.address], costs.get(agent.address));
  const rigs = status.rigs.map((rig) => {
    const held = rig.held ? ` (${rig.held.reason})` : "";
    const heading = element("h3", {}, link("rig", rig.name), held, " ", offerButtons(overview.offers.rigs[rig.name]));
    return element(
      "div",
      { "data-key": rig.name },
      heading,
      (rig.red_targets ?? []).map((target) => describeRed(target, `${target.branch} is red`)),
      rows(rig.agents, describe, "no agents", (agent) => agent.address),
    );
  });
  const agents = listAgents(overview);
  const queued = status.rigs.flatMap((rig) => rig.queued);
  const unread = status.overseer.unread_mail;
  const byId = (entry) => entry.id;
  replaceChildren(
    main,
    element("h1", {}, "Town"),
    unread > 0
      ? element(
          "p",
          {},
          element("a", { href: "#/mail" }, unread === 1 ? "1 unread message" : `${unread} unread messages`),
        )
      : null,
    section(
      "Needs you",
      overview.needs_you.length,
      element(
        "div",
        { class: "needs" },
        overview.needs_you.map((need) => describeNeed(need, overview)),
      ),
    ),
    element(
      "div",
      { class: "columns" },
      section(
        "Agents",
        agents.length,
        rows(status.agents, describe, "none", (agent) => agent.address),
        rigs,
      ),
      element(
        "div",
        {},
        section(
          "Convoys",
          status.convoys.length,
          rows(status.convoys, (convoy) => describeConvoy(convoy, overview.estimates[convoy.id]), "none open", byId),
        ),
        section(
          "Merge queue",
          overview.requests.length,
          rows(overview.requests, describeRequest, "nothing to merge", byId),
        ),
        queued.length > 0
          ? section(
              "Queued for a worker",
              queued.length,
              rows(
                queued,
                (entry) =>
                  describeQueued(
                    entry,
                    status.rigs.find((rig) => rig.name === entry.target_rig),
                  ),
                "",
                (entry) => entry.work_bead_id,
              ),
            )
          : null,
        section(
          "Feed",
          null,
          rows(
            feed.slice(0, 30),
            (line) => [
              element("span", { class: "dim" }, `${line.event.actor}: `),
              linkedText(line.text, line.event.payload),
              since(line.event.ts),
            ],
            "nothing has happened yet",
          ),
        ),
      ),
    ),
  );
}

export async function showBoard(main, _id, overview) {
  const rigs = await read("/api/board");
  const card = (bead) => {
    const mark = overview.marks[bead.id];
    const facts = [`P${bead.priority}`, bead.assignee, ["deferred", "pinned"].includes(bead.status) ? bead.status : ""];
    facts.push(...bead.labels.slice(0, 4));
    return element(
      "div",
      { class: "card", "data-key": bead.id },
      link("bead", bead.id),
      ` ${bead.title}`,
      mark ? element("div", { class: mark.tone }, mark.text) : null,
      element("div", { class: "dim" }, facts.filter(Boolean).join(" · "), bead.since ? since(bead.since) : null),
    );
  };
  const column = ({ name, total, beads }) => {
    const hidden = total - beads.length;
    return element(
      "section",
      {},
      element("h3", {}, `${name}: ${hidden > 0 ? `${beads.length} of ${total}` : total}`),
      beads.map(card),
      hidden > 0
        ? element("p", { class: "dim" }, name === "Done" ? `${hidden} closed before` : `${hidden} more`)
        : null,
    );
  };
  const boards = Object.entries(rigs).map(([rig, columns]) =>
    section(
      rig,
      columns.reduce((sum, { total }) => sum + total, 0),
      element("div", { class: "board" }, columns.map(column)),
    ),
  );
  replaceChildren(main, element("h1", {}, "Board"), boards);
}

const GROUPS = [
  ["agent", "Agents"],
  ["bead", "Beads"],
  ["convoy", "Convoys"],
  ["request", "Merge requests"],
  ["message", "Messages"],
];

export async function showSearch(main, text) {
  const found = await read(`/api/search?text=${encodeURIComponent(text)}`);
  const describe = (item) => {
    const view = item.kind === "message" ? "bead" : item.kind;
    return [
      link(view, item.id),
      ` ${item.title}`,
      item.status ? element("span", { class: "dim right" }, item.status) : null,
    ];
  };
  const groups = GROUPS.map(([kind, title]) => [title, found.filter((item) => item.kind === kind)]);
  const shown = groups.filter(([, items]) => items.length > 0);
  replaceChildren(
    main,
    element("h1", {}, `Found: ${text}`),
    shown.length > 0
      ? shown.map(([title, items]) => section(title, items.length, rows(items, describe, "")))
      : element("p", {}, "Nothing contains this text."),
  );
}
