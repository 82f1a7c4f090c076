// The trading games and the game for two: what each seat has, and the cards in the middle.

import { pile, row } from "./cards.js";
import { h } from "./dom.js";
import { field } from "./fields.js";
import { trade } from "./trade.js";

/** What the panel of a seat shows; `draw` makes it. */
export function seatParts(table, seat) {
  return { fields: table.fields[seat], hand: table.hands[seat], aside: table.aside?.[seat] ?? [] };
}

/** The body of a seat's panel. */
export function drawSeat({ fields, hand, aside }, seat) {
  return [
    h("div.bl-fields", { "data-count": fields.length }, fields.map((cards, i) => field(cards, { seat, field: i }))),
    aside.length ? h("div.bl-aside", {}, h("span.bl-small", {}, "to plant"), row(aside, { name: "Cards aside", at: `aside-${seat}` })) : null,
    h("div.bl-hand", {}, row(hand, { name: "Hand, the first card is planted first", at: `hand-${seat}`, raised: true }),
      h("span.bl-small", {}, `${hand.length}`)),
  ];
}

/** What the middle of the table shows. */
export function middleParts(table) {
  const { turned, pile: left, discards, trade: round } = table;
  return { turned, pile: left, discards: discards.length, top: discards.at(-1) ?? null, round: round ?? null };
}

/** The middle of the table. */
export function drawMiddle({ turned, pile: left, discards, top, round }, names, rules) {
  const open = rules.family === "two" ? "open" : "turned over";
  return [
    pile({ name: "pile", count: left, at: "pile" }),
    h("div.bl-centre", {},
      h("div.bl-turned", {}, row(turned, { name: open, at: "turned" }), h("span.bl-small", {}, turned.length ? open : "")),
      round ? trade(round, names) : null),
    pile({ name: "discarded", count: discards, top, at: "discards" }),
  ];
}

/** What a seat's money is worth, in words. */
export function moneyText(money) {
  return `$${money}`;
}
