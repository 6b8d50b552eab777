// The settings of the town and of a rig, and the forms that change them.

import { element, link, replaceChildren, rows, section } from "./elements.js";
import { act, ask, mayAct, read } from "./server.js";

// A value as a user would write it.
function asWritten(value) {
  if (value === null) return "";
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "string" ? value : JSON.stringify(value);
}

// The JSON text of a stored value as a user would write it. A number keeps the digits of the server.
function storedAsWritten(text) {
  const value = JSON.parse(text);
  return typeof value === "number" ? text : asWritten(value);
}

function describeValue(row) {
  return row.value === null ? `${row.key} is not set` : `${row.key} = ${asWritten(row.value)}`;
}

async function change(form) {
  const { layer, file, setting } = form.change;
  const stored = setting.stored === null ? null : storedAsWritten(setting.stored);
  const now = stored === null ? "It is not set there yet" : `It is ${stored} there now`;
  const question = `Set ${form.key} in ${file}, the ${layer}'s layer, to ${form.values}. ${now}.`;
  const written = await ask(question, { value: stored ?? asWritten(form.value), choices: form.choices });
  if (written !== null) await act({ act: "set_setting", setting, value: written });
}

async function unset(form) {
  const { layer, file, setting } = form.change;
  const question = `Remove ${form.key} from ${file}, the ${layer}'s layer? The layers below it count then.`;
  if ((await ask(question)) !== null) await act({ act: "unset_setting", setting });
}

function button(label, form, click) {
  return element("button", { type: "button", "aria-label": `${label} ${form.key}`, click: () => click(form) }, label);
}

// A setting changes in this form if its value only tunes the town. What is run, who gets in and what
// passes is changed in a shell.
function formOf(form) {
  if (!mayAct || form.key.includes("*")) return null;
  if (!form.change) return element("p", {}, element("code", {}, form.command));
  return element(
    "div",
    { class: "answers" },
    button("Change", form, change),
    form.change.setting.stored === null ? null : button("Unset", form, unset),
  );
}

function describeForm(form) {
  return [
    element("code", {}, describeValue(form)),
    element("span", { class: "dim right" }, form.value === null ? "" : form.origin),
    element("div", { class: "dim" }, form.meaning),
    formOf(form),
  ];
}

function describeRow(row) {
  return [
    element("code", {}, describeValue(row)),
    element("span", { class: "dim right" }, row.origin),
    element("div", { class: "dim" }, row.meaning),
  ];
}

function introduction() {
  return element(
    "p",
    { class: "dim" },
    "Known secrets are masked. gt config set changes a setting. ",
    mayAct ? "Settings that decide what is run, who gets in or which work passes are changed in a shell only." : null,
  );
}

const byKey = (row) => row.key;

async function showRigSettings(main, rig) {
  const forms = (await read(`/api/settings/${encodeURIComponent(rig)}`)).filter((form) => form.files !== "the town");
  replaceChildren(
    main,
    element("h1", {}, `Settings of rig ${rig}`),
    introduction(),
    rows(forms, describeForm, "none", byKey),
  );
}

// `rig` is empty for the town.
export async function showSettings(main, rig = "") {
  if (rig) {
    await showRigSettings(main, rig);
    return;
  }
  const { "": forms, ...rigs } = await read("/api/settings");
  const town = new Map(forms.map((row) => [row.key, JSON.stringify(row.value)]));
  const sections = Object.entries(rigs).map(([name, settings]) => {
    const own = settings.filter((row) => town.get(row.key) !== JSON.stringify(row.value));
    return section(
      `Rig ${name}`,
      own.length,
      rows(own, describeRow, "as the town", byKey),
      element("p", {}, link("settings", name, `All settings of rig ${name}`)),
    );
  });
  const set = forms.filter((form) => form.value !== null);
  const others = forms.filter((form) => form.value === null && form.files !== "a rig");
  replaceChildren(
    main,
    element("h1", {}, "Settings"),
    introduction(),
    sections,
    section("Town", set.length, rows(set, describeForm, "none", byKey)),
    section("Not set", others.length, rows(others, describeForm, "none", byKey)),
  );
}
