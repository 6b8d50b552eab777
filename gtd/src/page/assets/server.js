// Asks the daemon. Each request carries the key that the link has given to this browser.

import { element } from "./elements.js";

const result = document.getElementById("result");
const given = location.hash.match(/^#key=([0-9a-f]+)$/)?.[1];
if (given) history.replaceState(null, "", "/");
const stored = localStorage.getItem("key") ?? "";

async function findSession(candidate) {
  const answer = await fetch("/api/session", { headers: { "x-gastown-key": candidate } }).catch(() => null);
  return answer?.ok ? answer.json() : null;
}

// A key in the address counts only if it is right: any page can lead to an address with a key.
let key = given ?? stored;
let session = await findSession(key);
if (session && given) {
  localStorage.setItem("key", given);
} else if (given) {
  key = stored;
  session = await findSession(key);
}
const headers = { "x-gastown-key": key };

let askAgain = () => {};

// Calls the handler when a newer answer is possible than one that the daemon has kept.
export function onNewerAnswer(handler) {
  askAgain = handler;
}

// The daemon does not answer.
export class Disconnected extends Error {}

// The program that the first answer came from. A newer one may have other answers and another page.
let program = null;

export async function read(path) {
  const answer = await fetch(path, { headers }).catch((error) => {
    throw new Disconnected(error.message);
  });
  if (!answer.ok) throw new Error(await answer.text());
  const newest = answer.headers.get("x-gastown-program");
  program ??= newest;
  if (program !== newest) location.reload();
  const rest = answer.headers.get("x-gastown-rest");
  if (rest !== null) setTimeout(() => askAgain(), Number(rest) + 1);
  return answer.json();
}

async function hash(text) {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Asks who listens on the port before any secret is sent there again: another program may have taken it
// while the daemon did not run. Returns "daemon", "unknown" if the daemon does not know this browser, or
// "nothing".
export async function askForDaemon() {
  const nonce = crypto.randomUUID();
  const secret = await hash(key);
  const query = new URLSearchParams({ browser: await hash(secret), nonce });
  const answer = await fetch(`/proof?${query}`, { credentials: "omit" }).catch(() => null);
  if (!answer) return "nothing";
  const proof = await answer.text().catch(() => "");
  if (!answer.ok || proof !== (await hash(`${secret}:${location.port}:${nonce}`))) return "unknown";
  session = await findSession(key);
  mayAct = session?.act === true;
  return "daemon";
}

export function openEvents(last) {
  return new EventSource(`/api/events?key=${key}${last ? `&after=${last}` : ""}`);
}

// True if this browser may change the town.
export let mayAct = session?.act === true;

let afterAct = () => {};

export function onAct(handler) {
  afterAct = handler;
}

// Returns true if the change was made.
export async function act(action) {
  result.textContent = "…";
  let isDone = false;
  try {
    const answer = await fetch("/api/act", {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(action),
    });
    const text = await answer.text();
    result.textContent = answer.ok ? JSON.parse(text).result : text;
    isDone = answer.ok;
  } catch (error) {
    result.textContent = `The daemon does not answer: ${error.message}`;
  }
  afterAct();
  return isDone;
}

// Asks in a form of the page. Returns the written text, "" for a plain yes, and null for a no.
// `field.choices` are the only values, if there are any.
export function ask(question, field) {
  const dialog = element("dialog", { "aria-label": question });
  const required = field?.optional ? null : "";
  const choices = (field?.choices ?? []).map((choice) =>
    element("option", { value: choice, selected: choice === field.value ? "" : null }, choice),
  );
  const input = !field
    ? null
    : choices.length > 0
      ? element("select", { "aria-label": question, required }, choices)
      : element("textarea", { rows: 3, "aria-label": question, required }, field.value ?? "");
  const form = element(
    "form",
    {},
    element("p", {}, question),
    input,
    element(
      "p",
      { class: "answers" },
      element("button", { type: "submit", class: "yes" }, field ? "Send" : "Yes"),
      element("button", { type: "button", class: "no", click: () => dialog.close() }, "Cancel"),
    ),
  );
  dialog.append(form);
  document.body.append(dialog);
  return new Promise((answered) => {
    let written = null;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      written = input ? input.value.trim() : "";
      if (!input || written || field.optional) dialog.close();
      else written = null;
    });
    // Enter sends, Shift and Enter begins a line.
    input?.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      answered(written);
    });
    dialog.showModal();
  });
}

async function makeOffer({ change, text, confirm, question }) {
  if (!text && confirm === "never") {
    await act(change);
    return;
  }
  const written = await ask(text ? text.question : `${question}?`, text);
  if (written === null) return;
  await act(text ? { ...change, [text.field]: written } : change);
}

// The buttons of the changes that the town offers.
export function offerButtons(offers) {
  if (!mayAct) return [];
  return (offers ?? []).map((offer) =>
    element("button", { type: "button", click: () => makeOffer(offer) }, offer.label),
  );
}
