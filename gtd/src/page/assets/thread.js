// The conversation of the user with an agent, and the form in which the user writes to it.

import { element, link, moment, prose, replaceChildren, section } from "./elements.js";
import { act, mayAct, read } from "./server.js";
import { describeEntry } from "./sessions.js";

// The unsent text and its id stay in this tab of the browser, also over a reload.
const draftOf = (address) => `draft:${location.port}:${address}`;
const idOf = (address) => `draft-id:${location.port}:${address}`;

// The agents to which a message is on its way. The view may be left and opened again in the meantime.
const sending = new Set();

// The id is kept until the message is sent: if the answer was lost, sending it again makes no second mail.
function readDraftId(address) {
  const id = sessionStorage.getItem(idOf(address)) ?? crypto.randomUUID();
  sessionStorage.setItem(idOf(address), id);
  return id;
}

// Takes the sent text out of the draft. What was typed in the meantime stays.
function clearSent(address, message) {
  sessionStorage.removeItem(idOf(address));
  const draft = sessionStorage.getItem(draftOf(address)) ?? "";
  const rest = draft.startsWith(message) ? draft.slice(message.length).trimStart() : draft;
  if (rest) sessionStorage.setItem(draftOf(address), rest);
  else sessionStorage.removeItem(draftOf(address));
  const input = document.querySelector(`.writing[data-address="${CSS.escape(address)}"] textarea`);
  if (input) input.value = rest;
}

async function send(address, message) {
  if (sending.has(address) || !message.trim()) return;
  sending.add(address);
  const isDone = await act({ act: "write", agent: address, message, draft: readDraftId(address) });
  sending.delete(address);
  if (isDone) clearSent(address, message);
}

function describeMail({ is_own, message }) {
  const body = message.body.trim();
  const text = body.startsWith(message.subject.replace(/…$/, "")) ? body : `${message.subject}\n\n${body}`.trim();
  const who = is_own ? `you to ${message.to}` : `${message.from} to you`;
  return element(
    "article",
    { class: is_own ? "entry user" : "entry mail", "data-key": message.id },
    element(
      "p",
      { class: "dim" },
      `Mail from ${who}`,
      is_own && !message.read ? ", not read yet" : null,
      element("time", { datetime: message.timestamp, class: "right" }, moment(message.timestamp, "2-digit")),
    ),
    prose(text, `Mail ${message.id}`),
  );
}

function describeStopped(thread) {
  if (thread.is_running) return null;
  if (thread.is_mechanical) {
    return element(
      "p",
      { class: "dim", "data-key": "stopped" },
      "The daemon does the work of this role, and no session reads its mail. Write to the ",
      link("agent", "mayor"),
      ".",
    );
  }
  return element(
    "p",
    { class: "caution", "data-key": "stopped" },
    `No session of ${thread.address} runs: a message waits in its mailbox. Type `,
    thread.next_steps.map((command) => [element("code", {}, command), " "]),
  );
}

function writingForm(address) {
  const input = element(
    "textarea",
    { rows: 3, "aria-label": `Message to ${address}`, required: "" },
    sessionStorage.getItem(draftOf(address)) ?? "",
  );
  const form = element(
    "form",
    { class: "writing", "data-key": "writing", "data-address": address },
    input,
    element("p", { class: "answers" }, element("button", { type: "submit" }, "Send")),
  );
  input.addEventListener("input", () => sessionStorage.setItem(draftOf(address), input.value));
  // Enter sends, Shift and Enter begins a line.
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(address, input.value);
  });
  return form;
}

export async function readThread(address) {
  const thread = await read(`/api/thread?address=${encodeURIComponent(address)}`);
  const items = thread.items.map((item) => (item.kind === "mail" ? describeMail(item) : describeEntry(item.entry)));
  // The last lines stay in view: the outer box counts from its end.
  const log = element(
    "div",
    { class: "thread", role: "log", "aria-label": `Conversation with ${address}`, tabindex: "0" },
    element("div", {}, items.length > 0 ? items : element("p", { class: "dim" }, "Nothing was said yet.")),
  );
  const part = section("Conversation", null);
  replaceChildren(
    part,
    element("h2", {}, "Conversation"),
    log,
    thread.session ? element("p", { class: "dim" }, link("session", thread.session, "The whole session")) : null,
    describeStopped(thread),
    mayAct && !thread.is_mechanical ? writingForm(thread.address) : null,
  );
  part.dataset.key = "conversation";
  return part;
}
