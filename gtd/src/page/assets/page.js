// The page of a town: navigation, and what redraws a view.

import { showAgent, showChannel, showMail, showRecords } from "./agents.js";
import { dollars, element, moment, replaceChildren } from "./elements.js";
import { showMap } from "./map.js";
import { showCosts } from "./reports.js";
import { showRig } from "./rig.js";
import { askForDaemon, Disconnected, mayAct, onAct, onNewerAnswer, openEvents, read } from "./server.js";
import { onPlay, showSession } from "./sessions.js";
import { showSettings } from "./settings.js";
import { showBoard, showSearch, showTown } from "./town.js";
import { showBead, showConvoy, showRequest } from "./work.js";

const VIEWS = {
  agent: showAgent,
  bead: showBead,
  board: showBoard,
  channel: showChannel,
  convoy: showConvoy,
  costs: showCosts,
  mail: showMail,
  map: showMap,
  records: showRecords,
  request: showRequest,
  rig: showRig,
  search: showSearch,
  session: showSession,
  settings: showSettings,
};
const KEYS = { t: "#/", p: "#/map", b: "#/board", m: "#/mail", r: "#/records", c: "#/costs", s: "#/settings" };

const main = document.getElementById("main");
const connection = document.getElementById("connection");
let overview = null;
let costsToday = "";
let usualCosts = "";
let usualCostsReadAt = 0;
let costsOfAgents = new Map();
let feed = [];

function showHeader() {
  const status = overview.status;
  document.getElementById("town").textContent = status.name;
  const working = status.rigs.flatMap((rig) => rig.agents).filter((agent) => agent.state === "working").length;
  const sum = (name) => status.rigs.reduce((total, rig) => total + rig.mq[name], 0);
  const facts = [
    status.daemon.running ? "daemon runs" : "daemon stopped",
    `${working} of ${status.summary.polecat_count} working`,
    `queue ${sum("pending")} ready`,
    `${overview.needs_you.length} for you`,
  ];
  const unread = status.overseer.unread_mail;
  if (unread > 0) facts.push(`${unread} unread mail`);
  if (costsToday) facts.push(`${costsToday} today${usualCosts}`);
  if (status.stopped) facts.push("the town is stopped");
  replaceChildren(
    document.getElementById("facts"),
    facts.map((fact) => element("li", {}, fact)),
  );
  document.title = overview.needs_you.length > 0 ? `(${overview.needs_you.length}) ${status.name}` : status.name;
}

const HOUR = 3600000;

// The days before today do not change until midnight.
async function readUsualCosts() {
  if (Date.now() - usualCostsReadAt < HOUR) return;
  const daily = await read("/api/daily?metric=cost").catch(() => null);
  if (!daily) return;
  usualCostsReadAt = Date.now();
  const usual = daily.comparison.daily_average;
  usualCosts = typeof usual === "number" ? ` ($${usual.toFixed(2)} per day last week)` : "";
}

// The daemon keeps a reading as long as it takes long.
async function readCosts() {
  if (document.hidden || !isConnected) return;
  await readUsualCosts();
  const costs = await read("/api/costs?by=agent").catch(() => null);
  if (!costs) return;
  // Without a transcript nothing is known, which is not $0.00.
  costsToday = costs.total.requests > 0 ? dollars(costs.total) : "";
  costsOfAgents = new Map(costs.rows.map((row) => [row.key, dollars(row)]));
  schedule();
}

// The view, its subject, and the part of it: the time of an event, or a range.
function route() {
  const [name, ...words] = location.hash.replace(/^#\/?/, "").split("/");
  try {
    const [id, part] = words.map(decodeURIComponent);
    return { name, id, part };
  } catch {
    return { name, id: words[0] };
  }
}

let shown = null;
let lastEvent = "";
let events = null;

async function show() {
  const { name, id, part } = route();
  const key = location.hash;
  const isNew = shown !== key;
  for (const anchor of document.querySelectorAll("body > nav a")) {
    if (anchor.getAttribute("href") === `#/${name}`) anchor.setAttribute("aria-current", "page");
    else anchor.removeAttribute("aria-current");
  }
  // A view that is left while it is read must not be drawn over the next one.
  const view = element("div", {});
  try {
    overview = await read("/api/overview");
    showHeader();
    if (Object.hasOwn(VIEWS, name)) await VIEWS[name](view, id, overview, part);
    else showTown(view, overview, feed, costsOfAgents);
  } catch (error) {
    if (error instanceof Disconnected) setConnected(false);
    else replaceChildren(view, element("h1", {}, id ?? "Gas Town"), element("p", { class: "bad" }, error.message));
    retryLater();
    if (error instanceof Disconnected) return;
  }
  if (location.hash !== key) return;
  if (isNew) main.replaceChildren();
  replaceChildren(main, [...view.childNodes]);
  if (isNew && shown !== null) {
    main.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }
  if (isNew && part) showEvent(part);
  shown = key;
  main.dataset.view = key;
}

// Leads to an event of the shown view.
function showEvent(time) {
  const event = main.querySelector(`[data-at="${CSS.escape(time)}"]`);
  if (!event) return;
  event.scrollIntoView({ block: "center" });
  event.focus({ preventScroll: true });
}

// At most two readings a second, however many changes there are.
let running = false;
let wanted = false;

// A reading that failed is tried again.
let retry = 0;

function retryLater() {
  clearTimeout(retry);
  retry = setTimeout(schedule, 5000);
}

// Without the daemon no state is known, so none is shown. The view stays in the document, and gets its
// focus back.
let focused = null;
let isConnected = true;

function setConnected(connected) {
  if (connected === isConnected) return;
  isConnected = connected;
  if (!isConnected) {
    events?.close();
    setTimeout(reconnect, 1000);
    focused = document.activeElement;
    const time = moment(new Date().toISOString(), "2-digit");
    replaceChildren(
      connection,
      `not connected since ${time}: the daemon does not answer, trying again. If it does not run, type `,
      element("code", {}, "gt up"),
    );
  } else {
    connection.replaceChildren();
  }
  document.body.classList.toggle("stale", !isConnected);
  if (isConnected && focused?.isConnected) focused.focus({ preventScroll: true });
}

// Waits for the daemon. Until it has proven itself, nothing else is asked.
async function reconnect() {
  const couldAct = mayAct;
  const found = await askForDaemon();
  if (found === "daemon") {
    setConnected(true);
    if (couldAct && !mayAct) {
      connection.textContent =
        "the daemon was started again: this page may only read, and gt dashboard --act prints a new link";
    }
    follow();
    schedule();
    readCosts();
    return;
  }
  if (found === "unknown") connection.textContent = "not connected: open the link that gt dashboard prints";
  setTimeout(reconnect, 2000);
}

// A hidden page keeps its title only.
async function showTitle() {
  if (!isConnected) return;
  overview = await read("/api/overview").catch(() => overview);
  if (overview) showHeader();
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  schedule();
  readCosts();
});

// A pressed button and a selected text stay in place.
let pressed = false;
document.addEventListener("pointerdown", () => {
  pressed = true;
});
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, () =>
    setTimeout(() => {
      pressed = false;
      if (wanted) schedule();
    }, 300),
  );
}

async function schedule() {
  wanted = true;
  const isHeld = pressed || !document.getSelection().isCollapsed;
  if (running || (isHeld && shown === location.hash)) return;
  running = true;
  while (wanted) {
    wanted = false;
    if (document.hidden) await showTitle();
    else if (isConnected) await show();
    await new Promise((done) => setTimeout(done, 500));
  }
  running = false;
}

onAct(schedule);
onNewerAnswer(schedule);
onPlay(schedule);
window.addEventListener("hashchange", schedule);

// A link to a part of the page would be taken for a view.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

document.getElementById("search").addEventListener("submit", (event) => {
  event.preventDefault();
  const query = document.getElementById("query").value.trim();
  if (query) location.hash = `#/search/${encodeURIComponent(query)}`;
});

document.addEventListener("keydown", (event) => {
  const typing = ["INPUT", "TEXTAREA"].includes(document.activeElement?.tagName);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && typing) document.activeElement.blur();
  if (typing) return;
  if (event.key === "/") {
    event.preventDefault();
    document.getElementById("query").focus();
  }
  if (KEYS[event.key]) location.hash = KEYS[event.key];
});

function follow() {
  events = openEvents(lastEvent);
  events.addEventListener("open", schedule);
  events.addEventListener("error", () => setConnected(false));
  events.addEventListener("town", (message) => {
    if (message.lastEventId) lastEvent = message.lastEventId;
    // After a broken connection some events are sent again.
    if (feed.some((line) => line.data === message.data)) return;
    feed.unshift({ ...JSON.parse(message.data), data: message.data });
    feed = feed.slice(0, 200);
    schedule();
  });
  events.addEventListener("change", schedule);
  // Only ages and screens change without an event.
  events.addEventListener("tick", () => {
    if (["", "agent"].includes(route().name) && !document.hidden) schedule();
  });
}

// A live screen has no events.
setInterval(() => {
  if (route().name === "agent" && !document.hidden) schedule();
}, 1000);

setInterval(readCosts, 20000);

follow();
schedule();
readCosts();
