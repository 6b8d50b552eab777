// Asks the daemon. Each request carries the key that the link has given to this browser.

import { element } from "./elements.js";

const result = document.getElementById("result");
const given = location.hash.match(/^#key=([0-9a-f]+)$/);
if (given) {
  localStorage.setItem("key", given[1]);
  history.replaceState(null, "", "/");
}
const key = localStorage.getItem("key") ?? "";
const headers = { "x-gastown-key": key };

export async function read(path) {
  const answer = await fetch(path, { headers });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

export function openEvents(last) {
  return new EventSource(`/api/events?key=${key}${last ? `&after=${last}` : ""}`);
}

const kept = new Map();

// Reads what takes long to read, at most once in five seconds.
export function readSlowly(path) {
  const last = kept.get(path);
  if (last && Date.now() - last.at < 5000) return last.answer;
  for (const [other, { at }] of kept) if (Date.now() - at > 60000) kept.delete(other);
  const answer = read(path);
  kept.set(path, { at: Date.now(), answer });
  return answer;
}

// True if this browser may change the town.
export const mayAct = (await read("/api/session").catch(() => ({}))).act === true;

let afterAct = () => {};

export function onAct(handler) {
  afterAct = handler;
}

async function act(action, question) {
  if (question && !window.confirm(question)) return;
  result.textContent = "…";
  try {
    const answer = await fetch("/api/act", {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(action),
    });
    const text = await answer.text();
    result.textContent = answer.ok ? JSON.parse(text).result : text;
  } catch (error) {
    result.textContent = `The daemon does not answer: ${error.message}`;
  }
  afterAct();
}

export function button(label, action, question = null) {
  return element("button", { type: "button", click: () => act(action(), question) }, label);
}

export function promptButton(label, question, action) {
  const ask = () => {
    const text = window.prompt(question);
    if (text) act(action(text));
  };
  return element("button", { type: "button", click: ask }, label);
}
