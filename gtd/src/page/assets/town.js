// The town, the board, and the results of a search.

import { age, element, estimated, link, replaceChildren, rows, section, since } from "./elements.js";
import { button, mayAct, promptButton, read } from "./server.js";

function describeNeed(need) {
  const question = need.question;
  const parts = [
    element("h3", {}, question ? `${question.severity}: ${need.subject}` : need.subject),
    element("p", {}, need.text.trim()),
  ];
  const about = element("p", { class: "dim" });
  if (question) about.append(`from ${question.from}, ${age(question.since)} `);
  if (need.bead) about.append("about ", link("bead", need.bead));
  parts.push(about);
  if (question && mayAct) {
    const escalation = question.escalation;
    const answers = question.options.map((answer) =>
      button(answer, () => ({ act: "answer", escalation, answer }), `Answer "${answer}" to: ${need.subject}`));
    answers.push(promptButton("Reply", `Answer to ${need.subject}`, (answer) => ({ act: "answer", escalation, answer })));
    if (!question.acked_by) answers.push(button("Acknowledge", () => ({ act: "acknowledge", escalation })));
    parts.push(element("div", { class: "answers" }, answers));
  } else if (question && question.options.length > 0) {
    parts.push(element("p", {}, `Answers: ${question.options.join(", ")}`));
  }
  for (const command of need.next) parts.push(element("p", {}, element("code", {}, command)));
  return element("article", { class: "need", "data-key": need.key }, parts);
}

const MARKS = { working: ["◐", "good"], idle: ["○", "dim"], stalled: ["!", "bad"], zombie: ["✗", "bad"] };

function describeAgent(agent, glance, cost) {
  const state = agent.state ?? (agent.running === true ? "running" : agent.running === false ? "stopped" : "unknown");
  const [mark, tone] = MARKS[state] ?? ["●", "dim"];
  const parts = [element("span", { class: tone }, `${mark} ${state} `), link("agent", agent.address, agent.name)];
  if (agent.hook_bead) parts.push(" ", link("bead", agent.hook_bead), ` ${agent.work_title ?? ""}`);
  if (agent.progress) parts.push(since(agent.progress.at));
  const facts = [glance?.context_tokens ? `${glance.context_tokens.toLocaleString("en")} tokens of context` : "", cost].filter(Boolean);
  if (facts.length > 0) parts.push(element("span", { class: "dim" }, ` ${facts.join(" · ")}`));
  if (glance?.last_line) parts.push(element("div", { class: "dim last-line" }, glance.last_line));
  if (state === "stalled" || state === "zombie") parts.push(element("div", { class: "bad" }, agent.why));
  return parts;
}

export function describeRequest(request) {
  const place = request.place ? `${request.place}. ` : "";
  const parts = [place, link("request", request.id), " ", link("bead", request.bead), ` ${request.title} by ${request.worker}`];
  if (request.estimate) parts.push(element("span", { class: "dim" }, ` in ${estimated(request.estimate.seconds)}`));
  if (request.why) parts.push(element("div", { class: "caution" }, request.why));
  return parts;
}

function describeConvoy(convoy, end) {
  const label = `${convoy.completed} of ${convoy.total} beads done`;
  const bar = element("progress", { max: Math.max(convoy.total, 1), value: convoy.completed, "aria-label": label });
  const parts = [bar, ` ${convoy.completed}/${convoy.total} `, link("convoy", convoy.id, convoy.title || convoy.id)];
  if (end) parts.push(element("div", { class: "dim" }, end.text));
  if (convoy.blocked_by.length > 0) parts.push(element("div", { class: "bad" }, `blocked by ${convoy.blocked_by.join(", ")}`));
  return parts;
}

export function showTown(main, overview, feed, costs) {
  const status = overview.status;
  const describe = (agent) => describeAgent(agent, overview.sessions[agent.address], costs.get(agent.address));
  const rigs = status.rigs.map((rig) => {
    const held = rig.held ? ` (${rig.held.reason})` : "";
    const parking = mayAct
      ? rig.held
        ? button("Unpark", () => ({ act: "unpark", rig: rig.name }))
        : button("Park", () => ({ act: "park", rig: rig.name }), `Park rig ${rig.name} and end its sessions?`)
      : null;
    const heading = element("h3", {}, `${rig.name}${held}`, " ", parking);
    return element("div", { "data-key": rig.name }, heading, rows(rig.agents, describe, "no agents", (agent) => agent.address));
  });
  const agents = status.agents.concat(status.rigs.flatMap((rig) => rig.agents));
  const byId = (entry) => entry.id;
  replaceChildren(main,
    element("h1", {}, "Town"),
    section("Needs you", overview.needs_you.length, overview.needs_you.map(describeNeed)),
    element("div", { class: "columns" },
      section("Agents", agents.length, rows(status.agents, describe, "none", (agent) => agent.address), rigs),
      element("div", {},
        section("Merge queue", overview.requests.length, rows(overview.requests, describeRequest, "nothing to merge", byId)),
        section("Convoys", status.convoys.length, rows(status.convoys, (convoy) => describeConvoy(convoy, overview.estimates[convoy.id]), "none open", byId)),
        section("Feed", null, rows(feed.slice(0, 30), (line) => [element("span", { class: "dim" }, `${line.event.actor}: `), line.text, since(line.event.ts)], "nothing has happened yet")),
      ),
    ),
  );
}

const COLUMNS = ["Open", "Blocked", "In progress", "Done"];

function columnOf(bead) {
  if (bead.status === "closed") return "Done";
  if (["hooked", "in_progress"].includes(bead.status)) return "In progress";
  return bead.is_blocked || bead.status === "blocked" ? "Blocked" : "Open";
}

export async function showBoard(main) {
  const rigs = await read("/api/board");
  const card = (bead) => element("div", { class: "card", "data-key": bead.id },
    link("bead", bead.id), ` ${bead.title}`,
    element("div", { class: "dim" }, [`P${bead.priority}`, bead.assignee].filter(Boolean).join(" · ")));
  const column = (beads, name) => {
    const own = beads.filter((bead) => columnOf(bead) === name);
    return element("section", {}, element("h3", {}, `${name}: ${own.length}`), own.slice(0, 100).map(card));
  };
  const boards = Object.entries(rigs).map(([rig, beads]) =>
    section(rig, beads.length, element("div", { class: "board" }, COLUMNS.map((name) => column(beads, name)))));
  replaceChildren(main, element("h1", {}, "Board"), boards);
}

const GROUPS = [["agent", "Agents"], ["bead", "Beads"], ["convoy", "Convoys"], ["request", "Merge requests"], ["message", "Messages"]];

export async function showSearch(main, text) {
  const found = await read(`/api/search?text=${encodeURIComponent(text)}`);
  const describe = (item) => {
    const view = item.kind === "message" ? "bead" : item.kind;
    return [link(view, item.id), ` ${item.title}`, item.status ? element("span", { class: "dim right" }, item.status) : null];
  };
  const groups = GROUPS.map(([kind, title]) => [title, found.filter((item) => item.kind === kind)]);
  const shown = groups.filter(([, items]) => items.length > 0);
  replaceChildren(main,
    element("h1", {}, `Found: ${text}`),
    shown.length > 0 ? shown.map(([title, items]) => section(title, items.length, rows(items, describe, ""))) : element("p", {}, "Nothing contains this text."));
}
