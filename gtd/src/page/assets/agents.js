// An agent with its live screen, mail with channels, and records.

import { describeCard, describeKinds } from "./career.js";
import {
  dollars,
  duration,
  element,
  link,
  patch,
  prose,
  replaceChildren,
  rows,
  section,
  since,
  table,
} from "./elements.js";
import { offerButtons, read } from "./server.js";
import { listSessions } from "./sessions.js";
import { terminal } from "./terminal.js";
import { readThread } from "./thread.js";
import { readTimeline } from "./timeline.js";
import { describeNeed, describeState, listAgents } from "./town.js";

// The state of an agent and its reason, its work, its context and costs, and what it needs.
function describeWork(agent, overview, costs) {
  const facts = [];
  const context = overview.sessions[agent.address]?.context_tokens;
  if (context) facts.push(`${context.toLocaleString("en")} tokens of context`);
  const cost = costs?.rows.find((row) => row.key === agent.address);
  if (cost) facts.push(`${dollars(cost)} today`);
  if (agent.host) facts.push(`on host ${agent.host}`);
  if (agent.unread_mail > 0) facts.push(`${agent.unread_mail} unread mail`);
  const names = [agent.address, agent.address.replace(/\/(polecats|crew)\//, "/")];
  const needs = overview.needs_you.filter(
    (need) => names.includes(need.question?.from) || (need.bead && need.bead === agent.hook_bead),
  );
  const ofNeeds = needs.flatMap((need) => overview.offers.needs[need.key]);
  const ofAgent = (overview.offers.agents[agent.address] ?? []).filter(
    (offer) => !ofNeeds.some((other) => other.label === offer.label),
  );
  return [
    element(
      "p",
      {},
      describeState(agent),
      agent.why ? `: ${agent.why}` : null,
      agent.progress ? since(agent.progress.at) : null,
    ),
    element(
      "p",
      {},
      agent.hook_bead
        ? ["Works on ", link("bead", agent.hook_bead), ` ${agent.work_title ?? ""}`]
        : "No bead on its hook",
    ),
    facts.length > 0 ? element("p", { class: "dim" }, facts.join(" · ")) : null,
    needs.length > 0
      ? section(
          "Needs you",
          needs.length,
          element(
            "div",
            { class: "needs" },
            needs.map((need) => describeNeed(need, overview)),
          ),
        )
      : null,
    element("div", { class: "answers" }, offerButtons(ofAgent)),
  ];
}

export async function showAgent(main, address, overview) {
  const query = encodeURIComponent(address);
  const isWorker = address.includes("/polecats/");
  const [found, thread, costs, diff, timeline, careers, sessions] = await Promise.all([
    read(`/api/agent?address=${query}`),
    readThread(address),
    read("/api/costs?by=agent").catch(() => null),
    read(`/api/changes?address=${query}`),
    readTimeline(address),
    isWorker ? read("/api/career?by=worker").catch(() => null) : null,
    listSessions("agent", address),
  ]);
  const agent = listAgents(overview).find((other) => other.address === found.address);
  const card = careers?.cards.find((other) => other.key === address);
  const hasScreen = found.screen !== null;
  replaceChildren(
    main,
    element("h1", {}, address),
    agent ? describeWork(agent, overview, costs) : null,
    thread,
    section(
      "Screen",
      null,
      hasScreen ? terminal(found.screen, "Screen of the session") : element("p", { class: "dim" }, "no session runs"),
    ),
    diff ? section("Changes so far", null, patch(diff)) : null,
    timeline,
    section(
      "Mail",
      found.mail.length,
      rows(found.mail, describeMessage, "no messages", (message) => message.id),
    ),
    section(
      "Sent mail",
      found.sent.length,
      rows(found.sent, describeSent, "no messages", (message) => message.id),
    ),
    card ? section("Career", null, describeCard(card)) : null,
    sessions,
  );
}

// A message, with the first line of its text.
function describeMessage(message) {
  return describeMail(message, ` from ${message.from}`);
}

function describeSent(message) {
  return describeMail(message, ` to ${message.to}`);
}

function describeMail(message, partner) {
  const body = (message.body ?? "").trim();
  const [first] = body.split("\n");
  const isShort = first === body && body.length <= 120;
  return [
    element("strong", {}, message.subject),
    partner,
    message.read ? null : element("span", { class: "caution" }, " unread"),
    since(message.timestamp),
    body && isShort ? element("div", {}, body) : null,
    body && !isShort
      ? element("details", {}, element("summary", {}, first.slice(0, 120)), prose(body, message.subject))
      : null,
  ];
}

export async function showMail(main) {
  const { inbox, channels } = await read("/api/mail");
  const describe = (channel) => [
    link("channel", channel.name),
    element("span", { class: "dim" }, ` ${channel.status}, ${channel.subscribers.length} subscribed`),
  ];
  replaceChildren(
    main,
    element("h1", {}, "Mail"),
    section(
      "Inbox",
      inbox.length,
      rows(inbox, describeMessage, "no messages", (message) => message.id),
    ),
    section(
      "Channels",
      channels.length,
      rows(channels, describe, "none", (channel) => channel.name),
    ),
  );
}

export async function showChannel(main, name) {
  const { channel, messages } = await read(`/api/channel/${encodeURIComponent(name)}`);
  replaceChildren(
    main,
    element("h1", {}, `Channel ${channel.name}`),
    element("p", { class: "dim" }, `Subscribed: ${channel.subscribers.join(", ") || "no one"}`),
    rows(messages, describeMessage, "no messages", (message) => message.id),
  );
}

function share(part, whole) {
  return whole > 0 ? `${Math.round((100 * part) / whole)} %` : "";
}

function summaryCells(summary) {
  return [
    summary.finished,
    summary.merged,
    share(summary.merged, summary.finished),
    share(summary.first_time_green, summary.merged),
    summary.median_seconds === undefined ? "" : duration(summary.median_seconds),
  ];
}

const SUMMARY = ["Finished", "Merged", "Success", "Green at once", "Median time"];

export async function showRecords(main) {
  const [{ identities, models, runtimes }, careers] = await Promise.all([
    read("/api/records"),
    read("/api/career?by=model").catch(() => null),
  ]);
  const group = (title, name, groups) =>
    section(
      title,
      null,
      Object.keys(groups).length > 0
        ? table(
            title,
            [name, ...SUMMARY],
            Object.entries(groups).map(([key, summary]) => [key || "(unknown)", ...summaryCells(summary)]),
          )
        : element("p", { class: "dim" }, "no finished work yet"),
    );
  const entry = (done) => [
    link("bead", done.bead),
    done.title ? ` ${done.title}:` : null,
    ` ${done.result ?? done.outcome}`,
    done.gate_failures ? `, ${done.gate_failures} failed ${done.gate_failures === 1 ? "gate" : "gates"}` : null,
    element(
      "span",
      { class: "dim" },
      ` ${duration(done.seconds)}, ${done.sessions === 1 ? "1 session" : `${done.sessions} sessions`}, ${[done.agent, done.model].filter(Boolean).join(" ")}`,
    ),
    since(done.at),
  ];
  replaceChildren(
    main,
    element("h1", {}, "Records"),
    careers ? section("Which model does the work best", null, describeKinds(careers)) : null,
    element(
      "p",
      { class: "dim" },
      "Success: the share of finished beads that were merged. Green at once: the share of merged beads without a failed gate.",
    ),
    group("By model", "Model", models),
    group("By agent program", "Program", runtimes),
    section(
      "Polecats",
      identities.length,
      identities.map((identity) =>
        element(
          "div",
          { "data-key": identity.rig + identity.identity },
          element("h3", {}, identity.identity),
          element(
            "p",
            { class: "dim" },
            identity.summary.finished > 0
              ? `${identity.summary.merged} of ${identity.summary.finished} merged`
              : "nothing finished yet",
          ),
          rows(identity.last, entry, "no work"),
        ),
      ),
    ),
  );
}
