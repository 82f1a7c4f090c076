// A round of trading: two trays and the answers as bubbles.

import { heap, row } from "./cards.js";
import { h } from "./dom.js";

/**
 * @param {import("../state/bohnanza.js").Trade} trade
 * @param {string[]} names
 */
export function trade(trade, names) {
  return h("div.bl-trade", {}, trade.done ? carriedOut(trade, names) : offered(trade, names), bubbles(trade, names));
}

function who(name) {
  return h("bdi.bl-who", {}, name);
}

function tray(look, title, kinds, at, ghost = false) {
  const cards = kinds.length ? row(kinds, { name: "Cards", at, ghost }) : h("p.bl-dim", {}, "nothing");
  return h(`div.bl-tray.${look}`, {}, h("p.bl-tray-title", {}, title), cards);
}

function offered({ seat, to, gives, wants }, names) {
  if (!gives.length && !wants.length) {
    return h("p.bl-call", {}, who(names[seat]), " asks for offers");
  }
  const all = to.length === names.length - 1;
  const whom = all ? "all" : to.map((one) => names[one]).join(", ");
  return h(
    "div.bl-trays",
    {},
    tray("bl-gives", [who(names[seat]), " gives"], gives, "tray-gives"),
    h("span.bl-swap", { "aria-hidden": "true" }, "⇄"),
    tray("bl-wants", ["wants from ", h("bdi", {}, whom)], wants, "tray-wants", true),
  );
}

function carriedOut({ seat, done }, names) {
  return h(
    "div.bl-trays.bl-done-trade",
    {},
    tray("bl-gives", [who(names[seat]), " gave"], done.gives, "tray-gives"),
    h("span.bl-swap", { "aria-hidden": "true" }, "✓"),
    tray("bl-wants", [who(names[done.partner]), " gave"], done.receives, "tray-wants"),
  );
}

function bubbles({ answers, done, refused }, names) {
  const declined = answers.filter((answer) => answer.answer === "decline");
  const others = answers.filter((answer) => answer.answer !== "decline");
  const taken = (answer) =>
    done && done.partner === answer.seat ? ".bl-taken" : done || refused ? ".bl-passed-over" : "";
  const words = declined.length === 1 ? [who(names[declined[0].seat]), " declined"] : `${declined.length} declined`;
  return h(
    "div.bl-bubbles",
    {},
    others.map((answer) => h(`div.bl-bubble.bl-${answer.answer}${taken(answer)}`, {}, bubble(answer, names))),
    declined.length
      ? h("div.bl-bubble.bl-decline", { title: declined.map((answer) => names[answer.seat]).join(", ") }, words)
      : null,
    refused ? h("div.bl-bubble.bl-decline", {}, "no answer taken") : null,
  );
}

function bubble({ seat, answer, gives, wants }, names) {
  const what = gives.length ? heap(gives) : "nothing";
  if (answer === "accept") return [who(names[seat]), " accepts", gives.length ? [": gives ", what] : null];
  return [who(names[seat]), " would give ", what, " for ", wants.length ? heap(wants) : "nothing"];
}
