// Drawing of the trading games and the game for two: seats, and the cards in the middle.

import { pile, row } from "./cards.js";
import { h } from "./dom.js";
import { field } from "./fields.js";
import { trade } from "./trade.js";

/** The data of a seat's panel for `drawSeat`. */
export function seatParts(table, seat) {
  return { fields: table.fields[seat], hand: table.hands[seat], aside: table.aside?.[seat] ?? [] };
}

/** The body of a seat's panel. */
export function drawSeat({ fields, hand, aside }, seat) {
  return [
    h(
      "div.bl-fields",
      { "data-count": fields.length },
      fields.map((cards, i) => field(cards, { seat, field: i })),
    ),
    handRow(
      hand,
      seat,
      aside.length ? asideBox("to plant", row(aside, { name: "Cards aside, to plant", at: `aside-${seat}` })) : null,
    ),
  ];
}

/** A hand, with other cards to plant next to it. */
export function handRow(hand, seat, aside) {
  return h(
    "div.bl-hand",
    {},
    row(hand, { name: "Hand, the first card is planted first", at: `hand-${seat}`, raised: true }),
    aside,
    h("span.bl-small.bl-hand-size", { "aria-hidden": "true" }, hand.length),
  );
}

/** Cards next to a hand, with a label. */
export function asideBox(word, cards) {
  return h("div.bl-aside", {}, h("span.bl-small", { "aria-hidden": "true" }, word), cards);
}

/** The data of the middle of the table. */
export function middleParts(table) {
  const { turn, turned, pile: left, discards, trade: round, runOuts } = table;
  return {
    turn,
    turned,
    pile: left,
    discards: discards.length,
    top: discards.at(-1) ?? null,
    round: round ?? null,
    runOuts,
  };
}

/** The middle of the table. */
export function drawMiddle({ turn, turned, pile: left, discards, top, round, runOuts }, names, rules) {
  const open = rules.family === "two" ? "open" : "turned over";
  return [
    h(
      "div.bl-piles",
      {},
      pile({ name: "pile", count: left, at: "pile" }),
      rules.runOuts > 1 ? h("span.bl-small", {}, `run-outs ${runOuts} of ${rules.runOuts}`) : null,
    ),
    h("div.bl-centre", {}, turnedOver(turned, open, turn), round ? trade(round, names) : null),
    pile({ name: "discarded", count: discards, top, at: "discards" }),
  ];
}

/** The turned-over cards; without any, the number of the turn. */
export function turnedOver(turned, word, turn) {
  if (!turned.length)
    return h("div.bl-turned", { "data-at": "turned" }, h("span.bl-turn-number", {}, turn ? `turn ${turn}` : ""));
  return h("div.bl-turned", {}, row(turned, { name: word, at: "turned" }), h("span.bl-small", {}, word));
}

/** A seat's money in words. */
export function moneyText(money) {
  return `$${money}`;
}
