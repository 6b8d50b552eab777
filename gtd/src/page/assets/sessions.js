// Past sessions, and the conversation of one, which can be played in the pace in which it was held.

import { block, element, link, moment, prose, replaceChildren, rows, section, since } from "./elements.js";
import { read } from "./server.js";

// The longest pause between two entries that are played, in milliseconds.
const PAUSE = 2000;
// The number of entries that are read at once.
const PASSAGE = 100;

// The shown passage: the session, the number of its first entry (null for the end), and the number
// of the last entry that is shown while it is played.
const passage = { id: "", from: null, played: null, timer: 0 };
let redraw = () => {};

export function onPlay(handler) {
  redraw = handler;
}

export async function listSessions(kind, subject) {
  const sessions = await read(`/api/sessions?${kind}=${encodeURIComponent(subject)}`);
  const describe = (session) => {
    const name = [moment(session.ts, "2-digit"), kind === "agent" ? "" : session.actor].join(" ").trim();
    return [
      session.transcript ? link("session", session.session_id, name) : `${name} (no transcript)`,
      session.agent ? element("span", { class: "dim" }, ` ${session.agent}`) : null,
      session.bead && kind === "agent" ? [" on ", link("bead", session.bead)] : null,
      session.handed_off ? element("span", { class: "caution" }, " handed off") : null,
      since(session.ts),
    ];
  };
  return section(
    "Sessions",
    sessions.length,
    rows(sessions, describe, "none", (session) => session.session_id + session.ts),
  );
}

export function describeEntry(entry) {
  const who = entry.by === "assistant" ? entry.model || "agent" : entry.by;
  return element(
    "article",
    { class: `entry ${entry.by}`, "data-key": `entry-${entry.number}` },
    entry.handoff
      ? element("p", { class: "handoff" }, "Handoff: the session ends here, its successor continues.")
      : null,
    element(
      "p",
      { class: "dim" },
      `${entry.number}. ${who}`,
      entry.at ? element("time", { datetime: entry.at, class: "right" }, moment(entry.at, "2-digit")) : null,
    ),
    entry.texts.map((text) => prose(text, `Text of entry ${entry.number}`)),
    entry.calls.map((call) => element("p", {}, element("code", {}, `${call.name} ${call.input}`))),
    entry.results.map((result) =>
      element(
        "details",
        {},
        element("summary", {}, `Result${result.is_cut ? ", cut" : ""}`),
        block(result.text, `Result of entry ${entry.number}`),
      ),
    ),
  );
}

function move(change) {
  clearTimeout(passage.timer);
  Object.assign(passage, { played: null, timer: 0 }, change);
  redraw();
}

// Shows one entry after the other, with the pauses of the session but none of more than two seconds.
function play(entries, at, total) {
  const entry = entries[at];
  passage.played = entry.number;
  redraw();
  const next = entries[at + 1];
  const goOn = () => {
    // The view was left.
    if (location.hash !== `#/session/${encodeURIComponent(passage.id)}`) move({});
    else if (next) play(entries, at + 1, total);
    else if (entry.number < total) startPlaying(entry.number + 1);
    else move({});
  };
  const pause = next ? Date.parse(next.at) - Date.parse(entry.at) : 0;
  passage.timer = setTimeout(goOn, Math.min(PAUSE, Math.max(50, pause || 0)));
}

async function startPlaying(from) {
  const id = passage.id;
  const { conversation } = await read(`/api/session/${encodeURIComponent(id)}?from=${from}`);
  if (passage.id !== id || !conversation?.entries.length) return;
  passage.from = from;
  play(conversation.entries, 0, conversation.total);
}

function control(label, click) {
  return element("button", { type: "button", click, "data-key": label }, label);
}

export async function showSession(main, id) {
  if (passage.id !== id) move({ id, from: null });
  const query = passage.from === null ? "" : `?from=${passage.from}`;
  const { session, conversation } = await read(`/api/session/${encodeURIComponent(id)}${query}`);
  const entries = conversation?.entries ?? [];
  const first = entries[0]?.number ?? 1;
  const last = entries.at(-1)?.number ?? 0;
  const total = conversation?.total ?? 0;
  const shown = passage.played === null ? entries : entries.filter((entry) => entry.number <= passage.played);
  const controls = [
    first > 1 ? control("Start", () => move({ from: 1 })) : null,
    first > 1 ? control("Earlier", () => move({ from: Math.max(1, first - PASSAGE) })) : null,
    last < total ? control("Later", () => move({ from: last + 1 })) : null,
    passage.from === null ? null : control("End", () => move({ from: null })),
    total > 0
      ? passage.timer
        ? control("Stop", () => move({}))
        : control("Play", () => startPlaying(passage.from ?? 1))
      : null,
  ];
  replaceChildren(
    main,
    element("h1", {}, `Session of ${session.actor}`),
    element(
      "p",
      { class: "dim" },
      session.agent ? `${session.agent} ` : null,
      session.bead ? ["on ", link("bead", session.bead)] : null,
      since(session.ts),
    ),
    element("div", { class: "answers" }, controls),
    total > 0
      ? element("p", { class: "dim" }, `Entries ${first} to ${shown.at(-1)?.number ?? first} of ${total}`)
      : element("p", {}, "The session left no transcript."),
    shown.map(describeEntry),
    session.handed_off ? element("p", { class: "handoff" }, "The session handed off to a successor.") : null,
  );
}
