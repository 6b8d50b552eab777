// The map of the town: who waits for whom, and the mail between the agents.

import { element, link, replaceChildren, rows, section, table } from "./elements.js";
import { graphSection } from "./graph.js";
import { read } from "./server.js";

function shortName(id) {
  return id.replace(/\/(polecats|crew)\//, "/");
}

function placeLink(place) {
  if (place.kind === "agent") return link("agent", place.id, shortName(place.id));
  if (place.rig) return link("rig", place.rig, place.id);
  return element("a", { href: "#/" }, place.id);
}

export async function showMap(main) {
  const map = await read("/api/map");
  const places = new Map(map.places.map((place) => [shortName(place.id), place]));
  const addressOf = (box) => {
    const place = places.get(box.id);
    if (place?.kind === "agent") return `#/agent/${encodeURIComponent(place.id)}`;
    return place?.rig ? `#/rig/${encodeURIComponent(place.rig)}` : "#/";
  };
  const describe = (place) => [
    placeLink(place),
    `: ${place.text}`,
    place.waits_for.length > 0
      ? element("span", { class: "caution" }, ` waits for ${place.waits_for.map(shortName).join(", ")}`)
      : null,
  ];
  const rigs = new Map();
  for (const place of map.places) {
    const name = place.rig ? `Rig ${place.rig}` : "Town";
    rigs.set(name, [...(rigs.get(name) ?? []), place]);
  }
  replaceChildren(
    main,
    element("h1", {}, "Map"),
    graphSection(map.picture, "Who waits for whom", addressOf, "the longest chain of those who wait") ??
      element("p", {}, "No one waits for another."),
    [...rigs].map(([name, own]) =>
      section(
        name,
        own.length,
        rows(own, describe, "none", (place) => place.id),
      ),
    ),
    section(
      "Mail of the last day",
      map.mail.length,
      map.mail.length > 0
        ? table(
            "Mail of the last day",
            ["From", "To", "Messages"],
            map.mail.map((flow) => [shortName(flow.from), shortName(flow.to), flow.messages]),
          )
        : element("p", { class: "dim" }, "none"),
    ),
  );
}
