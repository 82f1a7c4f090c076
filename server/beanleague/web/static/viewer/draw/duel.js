// Drawing of the duel: seats with bo(h)nus cards, and the gifts in the middle.

import { endsWith } from "../rules.js";
import { asideBox, handRow, turnedOver } from "./bohnanza.js";
import { card, pile, row } from "./cards.js";
import { h, svg } from "./dom.js";
import { field } from "./fields.js";
import { label } from "./kinds.js";

/** The data of a seat's panel. */
export function seatParts(table, seat) {
  return {
    fields: table.fields[seat],
    hand: table.hands[seat],
    bohnus: table.bohnus[seat],
    earned: table.earned[seat],
    gift: table.gifts[seat],
    all: table.fields,
  };
}

/** The body of a seat's panel. */
export function drawSeat({ fields, hand, bohnus, earned, gift, all }, seat, rules) {
  const met = (number) => number !== null && all.flat().some((cards) => endsWith(cards, rules.bohnus[number].sequence));
  return [
    h(
      "div.bl-fields",
      { "data-count": fields.length },
      fields.map((cards, i) => field(cards, { seat, field: i })),
    ),
    handRow(hand, seat, gift ? asideBox("gift", row([gift], { name: "Gift to plant", at: `gift-${seat}` })) : null),
    h(
      "div.bl-bohnus-row",
      {},
      h("span.bl-small", {}, "bo(h)nus"),
      bohnus.map((number) => bohnusCard(number, rules, met(number))),
      earned.length
        ? [h("span.bl-small", {}, "fulfilled"), earned.map((number) => bohnusCard(number, rules, true))]
        : null,
    ),
  ];
}

/**
 * A bo(h)nus card: a bar for each run of its sequence, and its cents.
 * @param {number|null} number null: its back
 * @param {boolean} met whether a field fulfils it, or has done
 */
export function bohnusCard(number, rules, met = false) {
  const known = number === null ? null : rules.bohnus[number];
  if (!known)
    return h("span.bl-bohnus.bl-hidden", { role: "img", "aria-label": "hidden bo(h)nus card", "data-bohnus": "back" });
  const { sequence, cents } = known;
  const words = `Bo(h)nus card ${sequence.join("-")}, ${cents} cents${met ? ", met" : ""}`;
  const bars = sequence.map((run, i) =>
    Array.from({ length: Math.min(run, 8) }, (_, j) =>
      svg("rect", { x: 3 + i * 8, y: 22 - j * 3, width: 6, height: 2.2, rx: 1 }),
    ),
  );
  return h(
    `span.bl-bohnus${met ? ".bl-met" : ""}`,
    { role: "img", "aria-label": words, title: words, "data-bohnus": number },
    svg("svg", { viewBox: `0 0 ${4 + sequence.length * 8} 26`, "aria-hidden": "true" }, bars),
    h("span", { "aria-hidden": "true" }, h("b", {}, sequence.join("-")), ` ${cents}¢`),
  );
}

/** The data of the middle of the table. */
export function middleParts(table) {
  const { turn, turned, pile: left, discards, offers, bohnusPile, bohnusDiscards } = table;
  return {
    turn,
    turned,
    pile: left,
    discards: discards.length,
    top: discards.at(-1) ?? null,
    offers,
    bohnusPile,
    bohnusDiscards,
  };
}

const ANSWERS = {
  "": "offered",
  declined: "declined",
  accepted: "accepted",
  given: "accepted and given",
  bluff: "was a bluff",
};

/** The middle of the table. */
export function drawMiddle({ turn, turned, pile: left, discards, top, offers, bohnusPile, bohnusDiscards }, names) {
  const latest = offers.slice(-3);
  const more = offers.length - latest.length;
  return [
    h(
      "div.bl-piles",
      {},
      pile({ name: "pile", count: left, at: "pile" }),
      h("span.bl-small", {}, `bo(h)nus pile ${bohnusPile}, discarded ${bohnusDiscards.length}`),
    ),
    h(
      "div.bl-centre",
      {},
      turnedOver(turned, "turned over", turn),
      offers.length
        ? h(
            "div.bl-gifts",
            {},
            more ? h("span.bl-small", {}, `${more} declined before`) : null,
            latest.map((offer) => giftOffer(offer, names)),
          )
        : null,
    ),
    pile({ name: "discarded", count: discards, top, at: "discards" }),
  ];
}

function giftOffer({ seat, kind, answer }, names) {
  const look = { given: "accept", accepted: "accept", bluff: "counter", declined: "decline" }[answer] ?? "open";
  return h(
    `div.bl-bubble.bl-gift.bl-${look}`,
    {},
    card(kind),
    h("span", {}, h("bdi.bl-who", {}, names[seat]), ` offers ${label(kind)}: `, h("b", {}, ANSWERS[answer])),
  );
}

/** A seat's money in words. */
export function moneyText(cents) {
  return `$${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
}
