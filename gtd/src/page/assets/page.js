// The page of a town. All text of the town is set as text, never as markup.

const main = document.getElementById("main");
const result = document.getElementById("result");
const connection = document.getElementById("connection");
let mayAct = false;
let overview = null;
let costsToday = "";
let feed = [];

// Elements

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "click") made.addEventListener("click", value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) made.append(child);
  }
  return made;
}

function link(kind, id, text = id) {
  return element("a", { href: `#/${kind}/${encodeURIComponent(id)}` }, text);
}

function section(title, count, ...children) {
  const heading = element("h2", {}, count === null ? title : `${title}: ${count}`);
  return element("section", {}, heading, ...children);
}

function rows(list, describe, empty) {
  if (list.length === 0) return element("p", { class: "dim" }, empty);
  return element("ul", { class: "rows" }, list.map((entry) => element("li", {}, describe(entry))));
}

function block(text, name) {
  return element("pre", { tabindex: "0", role: "region", "aria-label": name }, text);
}

function prose(text, name) {
  return element("pre", { class: "text", tabindex: "0", role: "region", "aria-label": name }, text);
}

// Times

function age(time) {
  const seconds = Math.max(0, (Date.now() - Date.parse(time)) / 1000);
  if (!Number.isFinite(seconds)) return "";
  if (seconds < 90) return `${Math.round(seconds)}s ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)}m ago`;
  if (seconds < 129600) return `${Math.round(seconds / 3600)}h ago`;
  return `${Math.round(seconds / 86400)}d ago`;
}

function since(time) {
  return element("time", { datetime: time, class: "dim right" }, age(time));
}

function duration(seconds) {
  return seconds < 120 ? `${Math.round(seconds)}s` : `${Math.round(seconds / 60)}m`;
}

// Requests

async function read(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

async function act(action, question) {
  if (question && !window.confirm(question)) return;
  result.textContent = "…";
  try {
    const answer = await fetch("/api/act", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(action),
    });
    const text = await answer.text();
    result.textContent = answer.ok ? JSON.parse(text).result : text;
  } catch (error) {
    result.textContent = `The daemon does not answer: ${error.message}`;
  }
  schedule();
}

function button(label, action, question = null) {
  return element("button", { type: "button", click: () => act(action(), question) }, label);
}

function promptButton(label, question, action) {
  const ask = () => {
    const text = window.prompt(question);
    if (text) act(action(text));
  };
  return element("button", { type: "button", click: ask }, label);
}

// The town

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
  return element("article", { class: "need" }, parts);
}

const MARKS = { working: ["◐", "good"], idle: ["○", "dim"], stalled: ["!", "bad"], zombie: ["✗", "bad"] };

function describeAgent(agent) {
  const state = agent.state ?? (agent.running === true ? "running" : agent.running === false ? "stopped" : "unknown");
  const [mark, tone] = MARKS[state] ?? ["●", "dim"];
  const parts = [element("span", { class: tone }, `${mark} ${state} `), link("agent", agent.address, agent.name)];
  if (agent.hook_bead) parts.push(" ", link("bead", agent.hook_bead), ` ${agent.work_title ?? ""}`);
  if (agent.progress) parts.push(since(agent.progress.at));
  if (state === "stalled" || state === "zombie") parts.push(element("div", { class: "bad" }, agent.why));
  return parts;
}

function describeRequest(request) {
  const place = request.place ? `${request.place}. ` : "";
  const parts = [place, link("request", request.id), " ", link("bead", request.bead), ` ${request.title} by ${request.worker}`];
  if (request.estimate) parts.push(element("span", { class: "dim" }, ` in about ${duration(request.estimate.seconds)}`));
  if (request.why) parts.push(element("div", { class: "caution" }, request.why));
  return parts;
}

function describeConvoy(convoy) {
  const label = `${convoy.completed} of ${convoy.total} beads done`;
  const bar = element("progress", { max: Math.max(convoy.total, 1), value: convoy.completed, "aria-label": label });
  return [bar, ` ${convoy.completed}/${convoy.total} `, link("convoy", convoy.id, convoy.title || convoy.id)];
}

function showTown() {
  const status = overview.status;
  const rigs = status.rigs.map((rig) => {
    const held = rig.held ? ` (${rig.held.reason})` : "";
    const title = `${rig.name}${held}`;
    const parking = mayAct
      ? rig.held
        ? button("Unpark", () => ({ act: "unpark", rig: rig.name }))
        : button("Park", () => ({ act: "park", rig: rig.name }), `Park rig ${rig.name} and end its sessions?`)
      : null;
    return [element("h3", {}, title, " ", parking), rows(rig.agents, describeAgent, "no agents")];
  });
  const agents = status.agents.concat(status.rigs.flatMap((rig) => rig.agents));
  main.replaceChildren(
    element("h1", {}, "Town"),
    section("Needs you", overview.needs_you.length, overview.needs_you.map(describeNeed)),
    element(
      "div",
      { class: "columns" },
      section("Agents", agents.length, rows(status.agents, describeAgent, "none"), rigs),
      element(
        "div",
        {},
        section("Merge queue", overview.requests.length, rows(overview.requests, describeRequest, "nothing to merge")),
        section("Convoys", status.convoys.length, rows(status.convoys, describeConvoy, "none open")),
        section("Feed", null, rows(feed.slice(0, 30), (line) => [line.text, since(line.event.ts)], "nothing has happened yet")),
      ),
    ),
  );
}

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
  if (costsToday) facts.push(`${costsToday} today`);
  if (status.stopped) facts.push("the town is stopped");
  document.getElementById("facts").replaceChildren(...facts.map((fact) => element("li", {}, fact)));
  document.title = overview.needs_you.length > 0 ? `(${overview.needs_you.length}) ${status.name}` : status.name;
}

// Other views

function timeline(found) {
  if (!found) return "";
  const now = found.now.concat(found.next_steps.map((command) => `→ ${command}`));
  return element("div", {},
    now.length > 0 ? section("Now", null, rows(now, (line) => line, "")) : null,
    section("Timeline", null, rows(found.events, (event) => [event.text, since(event.ts)], "no events")));
}

async function showBead(id) {
  const { bead, timeline: events } = await read(`/api/bead/${encodeURIComponent(id)}`);
  const facts = [`P${bead.priority}`, bead.kind, bead.status, bead.assignee && `with ${bead.assignee}`, ...bead.labels];
  const texts = bead.texts.concat(bead.comments);
  main.replaceChildren(
    element("h1", {}, `${bead.id} ${bead.title}`),
    element("p", { class: "dim" }, facts.filter(Boolean).join(" · ")),
    bead.close_reason ? element("p", {}, `Closed: ${bead.close_reason}`) : "",
    section("Links", bead.links.length, rows(bead.links, (other) => [`${other.relation} `, link("bead", other.id), ` ${other.title} (${other.status})`], "none")),
    ...texts.map((text) => section(text.name, null, prose(text.text, text.name))),
    section("Earlier attempts", bead.attempts.length, rows(bead.attempts, (attempt) => [`${attempt.worker}: ${attempt.why}`, since(attempt.at)], "none")),
    timeline(events),
  );
}

async function showConvoy(id) {
  const { progress, waves, estimate, timeline: events } = await read(`/api/convoy/${encodeURIComponent(id)}`);
  const done = progress.counts?.completed ?? 0;
  const total = progress.counts?.total ?? 0;
  main.replaceChildren(
    element("h1", {}, `${id} ${progress.title ?? ""}`),
    element("p", {}, element("progress", { max: Math.max(total, 1), value: done, "aria-label": `${done} of ${total} beads done` }), ` ${done} of ${total} done`),
    element("p", { class: "dim" }, done < total ? (estimate ?? "no estimate yet") : "all done"),
    ...waves.map((wave, number) => section(`Wave ${number + 1}`, wave.length, rows(wave, (bead) => [
      element("span", { class: bead.standing === "done" ? "good" : bead.standing === "working" ? "" : "caution" }, `${bead.standing} `),
      link("bead", bead.id), ` ${bead.title ?? ""}`,
      bead.why ? element("div", { class: "dim" }, bead.why) : null,
    ], "empty"))),
    timeline(events),
  );
}

function patch(text) {
  const lines = text.split("\n").map((line) => {
    const tone = line.startsWith("+") ? "good" : line.startsWith("-") ? "bad" : line.startsWith("diff ") ? "caution" : null;
    return element("span", { class: tone }, `${line}\n`);
  });
  return element("pre", { tabindex: "0", role: "region", "aria-label": "Changes" }, lines);
}

async function showRequest(id) {
  const found = await read(`/api/request/${encodeURIComponent(id)}`);
  const acts = [];
  if (mayAct && found.row) {
    acts.push(button("Retry", () => ({ act: "retry_request", request: id })));
    acts.push(promptButton("Reject", `Reason to reject ${id}`, (reason) => ({ act: "reject", request: id, reason })));
  }
  main.replaceChildren(
    element("h1", {}, `${id} ${found.title}`),
    element("p", { class: "dim" }, found.row ? "" : `no longer in the queue (${found.status})`),
    found.row ? element("div", {}, describeRequest(found.row)) : "",
    element("div", { class: "answers" }, acts),
    section("Changes", null, found.diff.trim() ? patch(found.diff) : element("p", { class: "dim" }, "none")),
    section("Logs of failed gates", found.gate_logs.length, found.gate_logs.map((log) => [element("h3", {}, log.path), block(log.text, log.path)])),
    timeline(found.timeline),
  );
}

async function showAgent(address) {
  const found = await read(`/api/agent?address=${encodeURIComponent(address)}`);
  const nudge = mayAct && found.screen ? promptButton("Nudge", `Message to ${address}`, (message) => ({ act: "nudge", agent: address, message })) : null;
  main.replaceChildren(
    element("h1", {}, address),
    element("div", { class: "answers" }, nudge),
    section("Screen", null, found.screen ? block(found.screen.join("\n"), "Screen of the session") : element("p", { class: "dim" }, "no session runs")),
    found.diff ? section("Changes so far", null, patch(found.diff)) : "",
    section("Mail", found.mail.length, rows(found.mail, describeMessage, "no messages")),
  );
}

function describeMessage(message) {
  return [
    element("strong", {}, message.subject), ` from ${message.from}`, message.read ? "" : element("span", { class: "caution" }, " unread"), since(message.timestamp),
    message.body ? element("details", {}, element("summary", {}, "Text"), prose(message.body, message.subject)) : null,
  ];
}

async function showMail() {
  const { inbox } = await read("/api/mail");
  main.replaceChildren(element("h1", {}, "Mail"), rows(inbox, describeMessage, "no messages"));
}

async function showBoard() {
  const rigs = await read("/api/board");
  const columnOf = (bead) => {
    if (bead.status === "closed") return "Done";
    if (["hooked", "in_progress"].includes(bead.status)) return "In progress";
    return bead.is_blocked || bead.status === "blocked" ? "Blocked" : "Open";
  };
  main.replaceChildren(
    element("h1", {}, "Board"),
    ...Object.entries(rigs).map(([rig, beads]) => section(rig, beads.length, element("div", { class: "board" }, ["Open", "Blocked", "In progress", "Done"].map((column) => {
      const own = beads.filter((bead) => columnOf(bead) === column);
      return element("section", {}, element("h3", {}, `${column}: ${own.length}`), own.slice(0, 100).map((bead) =>
        element("div", { class: "card" }, link("bead", bead.id), ` ${bead.title}`, element("div", { class: "dim" }, [`P${bead.priority}`, bead.assignee].filter(Boolean).join(" · ")))));
    })))),
  );
}

function dollars(sum) {
  return `$${sum.cost_usd.toFixed(2)}${sum.unpriced_tokens ? "+" : ""}`;
}

// Transcripts are long, so their sum is read once a minute.
async function readCosts() {
  if (document.hidden) return;
  const costs = await read("/api/costs").catch(() => null);
  if (!costs) return;
  costsToday = dollars(costs.total);
  schedule();
}

async function showCosts() {
  const costs = await read("/api/costs");
  const header = element("tr", {}, ["Agent", "Cost", "Input", "Cached", "Written", "Output"].map((name) => element("th", { scope: "col" }, name)));
  const lines = costs.rows.map((row) => element("tr", {}, [
    row.key || "(none)", dollars(row), row.tokens.input, row.tokens.cache_read, row.tokens.cache_write + row.tokens.cache_write_1h, row.tokens.output,
  ].map((cell) => element("td", {}, String(cell)))));
  main.replaceChildren(
    element("h1", {}, `Costs today: ${dollars(costs.total)}`),
    ...(costs.budgets ?? []).map((budget) => element("p", {}, `${budget.kind} ${budget.subject}: $${budget.spent_usd.toFixed(2)} of $${budget.limit_usd.toFixed(2)}`)),
    costs.rows.length > 0 ? element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Costs" }, element("table", {}, element("thead", {}, header), element("tbody", {}, lines))) : element("p", { class: "dim" }, "No session has used tokens today."),
    costs.models_without_price.length > 0 ? element("p", { class: "caution" }, `No price is known for ${costs.models_without_price.join(", ")}.`) : "",
    costs.unread.length > 0 ? element("p", { class: "dim" }, `Not included: sessions without a transcript, of ${costs.unread.join(", ")}.`) : "",
  );
}

// Navigation

const VIEWS = { board: showBoard, mail: showMail, costs: showCosts, bead: showBead, convoy: showConvoy, request: showRequest, agent: showAgent };

function route() {
  const [name, id] = location.hash.replace(/^#\/?/, "").split("/");
  try {
    return { name, id: id === undefined ? undefined : decodeURIComponent(id) };
  } catch {
    return { name, id };
  }
}

let shown = null;

async function show() {
  const { name, id } = route();
  const key = location.hash;
  const focus = shown !== key;
  for (const anchor of document.querySelectorAll("nav a")) {
    if (anchor.getAttribute("href") === (key || "#/")) anchor.setAttribute("aria-current", "page");
    else anchor.removeAttribute("aria-current");
  }
  try {
    overview = await read("/api/overview");
    showHeader();
    if (VIEWS[name]) await VIEWS[name](id);
    else showTown();
  } catch (error) {
    if (location.hash === key) main.replaceChildren(element("h1", {}, id ?? "Gas Town"), element("p", { class: "bad" }, error.message));
  }
  if (focus && shown !== null) main.focus();
  shown = key;
  main.dataset.view = key;
}

// At most two readings a second, however many changes there are.
let running = false;
let wanted = false;

// A pressed button and a selected text stay in place.
let pressed = false;
document.addEventListener("pointerdown", () => { pressed = true; });
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, () => setTimeout(() => { pressed = false; if (wanted) schedule(); }, 300));
}

async function schedule() {
  wanted = true;
  if (running || pressed || !document.getSelection().isCollapsed) return;
  running = true;
  while (wanted) {
    wanted = false;
    await show();
    await new Promise((done) => setTimeout(done, 500));
  }
  running = false;
}

window.addEventListener("hashchange", schedule);

document.getElementById("search").addEventListener("submit", (event) => {
  event.preventDefault();
  const query = document.getElementById("query").value.trim();
  if (!query) return;
  const requests = overview?.requests ?? [];
  const convoys = overview?.status.convoys ?? [];
  const agents = (overview?.status.agents ?? []).concat((overview?.status.rigs ?? []).flatMap((rig) => rig.agents));
  const has = (text) => text.toLowerCase().includes(query.toLowerCase());
  const agent = agents.find((one) => has(one.address));
  if (requests.some((one) => one.id === query)) location.hash = `#/request/${encodeURIComponent(query)}`;
  else if (convoys.some((one) => one.id === query)) location.hash = `#/convoy/${encodeURIComponent(query)}`;
  else if (agent) location.hash = `#/agent/${encodeURIComponent(agent.address)}`;
  else location.hash = `#/bead/${encodeURIComponent(query)}`;
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
  const targets = { t: "#/", b: "#/board", m: "#/mail", c: "#/costs" };
  if (targets[event.key]) location.hash = targets[event.key];
});

function follow() {
  const events = new EventSource("/api/events");
  events.addEventListener("open", () => {
    connection.textContent = "";
    schedule();
  });
  events.addEventListener("error", () => {
    connection.textContent = "not connected: trying again";
    // The daemon was started again and does not know this browser any more.
    if (events.readyState === EventSource.CLOSED) {
      connection.textContent = "not connected: open the link that gt dashboard prints";
      setTimeout(follow, 5000);
    }
  });
  events.addEventListener("town", (message) => {
    // After a broken connection some events are sent again.
    if (feed.some((line) => line.data === message.data)) return;
    feed.unshift({ ...JSON.parse(message.data), data: message.data });
    feed = feed.slice(0, 200);
    schedule();
  });
  events.addEventListener("change", schedule);
}

// A live screen has no events.
setInterval(() => {
  if (route().name === "agent" && !document.hidden) schedule();
}, 1000);

setInterval(readCosts, 60000);

mayAct = (await read("/api/session").catch(() => ({}))).act === true;
follow();
schedule();
readCosts();
