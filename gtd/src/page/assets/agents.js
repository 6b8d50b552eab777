// An agent with its live screen, mail with channels, and records.

import { duration, element, link, patch, prose, replaceChildren, rows, section, since, table } from "./elements.js";
import { mayAct, promptButton, read, readSlowly } from "./server.js";
import { listSessions } from "./sessions.js";
import { terminal } from "./terminal.js";

export async function showAgent(main, address) {
  const query = encodeURIComponent(address);
  const [found, diff, sessions] = await Promise.all([
    read(`/api/agent?address=${query}`), readSlowly(`/api/changes?address=${query}`), listSessions("agent", address),
  ]);
  const hasScreen = found.screen !== null;
  const nudge = mayAct && hasScreen ? promptButton("Nudge", `Message to ${address}`, (message) => ({ act: "nudge", agent: address, message })) : null;
  replaceChildren(main,
    element("h1", {}, address),
    element("div", { class: "answers" }, nudge),
    section("Screen", null, hasScreen ? terminal(found.screen, "Screen of the session") : element("p", { class: "dim" }, "no session runs")),
    diff ? section("Changes so far", null, patch(diff)) : null,
    section("Mail", found.mail.length, rows(found.mail, describeMessage, "no messages", (message) => message.id)),
    sessions,
  );
}

function describeMessage(message) {
  return [
    element("strong", {}, message.subject), ` from ${message.from}`, message.read ? null : element("span", { class: "caution" }, " unread"), since(message.timestamp),
    message.body ? element("details", {}, element("summary", {}, "Text"), prose(message.body, message.subject)) : null,
  ];
}

export async function showMail(main) {
  const { inbox, channels } = await read("/api/mail");
  const describe = (channel) => [link("channel", channel.name), element("span", { class: "dim" }, ` ${channel.status}, ${channel.subscribers.length} subscribed`)];
  replaceChildren(main,
    element("h1", {}, "Mail"),
    section("Inbox", inbox.length, rows(inbox, describeMessage, "no messages", (message) => message.id)),
    section("Channels", channels.length, rows(channels, describe, "none", (channel) => channel.name)));
}

export async function showChannel(main, name) {
  const { channel, messages } = await read(`/api/channel/${encodeURIComponent(name)}`);
  replaceChildren(main,
    element("h1", {}, `Channel ${channel.name}`),
    element("p", { class: "dim" }, `Subscribed: ${channel.subscribers.join(", ") || "no one"}`),
    rows(messages, describeMessage, "no messages", (message) => message.id));
}

function share(part, whole) {
  return whole > 0 ? `${Math.round((100 * part) / whole)} %` : "";
}

function summaryCells(summary) {
  return [
    summary.finished, summary.merged, share(summary.merged, summary.finished), share(summary.first_time_green, summary.merged),
    summary.median_seconds === undefined ? "" : duration(summary.median_seconds),
  ];
}

const SUMMARY = ["Finished", "Merged", "Success", "Green at once", "Median time"];

export async function showRecords(main) {
  const { identities, models, runtimes } = await read("/api/records");
  const group = (title, name, groups) => section(title, null,
    Object.keys(groups).length > 0
      ? table(title, [name, ...SUMMARY], Object.entries(groups).map(([key, summary]) => [key || "(unknown)", ...summaryCells(summary)]))
      : element("p", { class: "dim" }, "no finished work yet"));
  const entry = (done) => [
    link("bead", done.bead), ` ${done.result ?? done.outcome}`, done.gate_failures ? `, ${done.gate_failures} failed gates` : null,
    element("span", { class: "dim" }, ` ${duration(done.seconds)}, ${done.sessions === 1 ? "1 session" : `${done.sessions} sessions`}, ${[done.agent, done.model].filter(Boolean).join(" ")}`), since(done.at),
  ];
  replaceChildren(main,
    element("h1", {}, "Records"),
    group("By model", "Model", models),
    group("By agent program", "Program", runtimes),
    section("Polecats", identities.length, identities.map((identity) =>
      element("div", { "data-key": identity.rig + identity.identity },
        element("h3", {}, identity.identity),
        element("p", { class: "dim" }, `${identity.summary.merged} of ${identity.summary.finished} merged`),
        rows(identity.last, entry, "no work")))));
}
