// Drawing of bean fields: number, a stack of cards with count, earnings, and the next step of the beanometer.

import { beanometer, runs } from "../rules.js";
import { card, smallBean } from "./cards.js";
import { h } from "./dom.js";
import { label } from "./kinds.js";

/**
 * A field.
 * @param {string[]} cards in planting order
 * @param {{seat: number, field: number, pick?: (() => void)|null}} place `pick`: makes the field a button
 */
export function field(cards, { seat, field: number, pick = null }) {
  const at = `field-${seat}-${number}`;
  const last = cards.at(-1);
  const look = { "data-at": at, "data-kind": last ?? null };
  const name = h("span.bl-field-note", {}, fieldName(number));
  const shown = last
    ? full(cards, last, name)
    : [h("span.bl-plot"), h("div.bl-yield", {}, name, h("span.bl-field-note", {}, "empty"))];
  if (pick)
    return h("button.bl-field", { ...look, type: "button", "aria-label": words(cards, number), onclick: pick }, shown);
  return h("div.bl-field", { ...look, role: "img", "aria-label": words(cards, number) }, shown);
}

/** The name of a field for people: its index counts from 0. @param {number} number */
export function fieldName(number) {
  return `field ${number + 1}`;
}

function full(cards, last, name) {
  const { dollars, steps, next } = beanometer(last, cards.length);
  const note = next ? `+${next.more} for $${next.dollars}` : "full";
  return [
    h(`div.bl-stack.bl-deep-${Math.min(3, cards.length - 1)}`, {}, card(last), h("b.bl-count", {}, cards.length)),
    h(
      "div.bl-yield",
      {},
      name,
      h("b", { class: dollars ? "bl-earns" : "bl-dim" }, `$${dollars}`),
      h("span.bl-field-note", {}, note),
    ),
    h(
      "div.bl-meter",
      {},
      steps.map((step) => h(step.cards <= cards.length ? "span.bl-done" : "span", {}, step.cards)),
    ),
    new Set(cards).size > 1 ? column(cards) : null,
  ];
}

/** The runs of a field of the duel, first planted first. */
function column(cards) {
  return h(
    "div.bl-column",
    {},
    runs(cards).map(({ kind, count }) => h("span", {}, smallBean(kind), count)),
  );
}

function words(cards, number) {
  if (!cards.length) return `Field ${number + 1}: empty`;
  const { dollars, next } = beanometer(cards.at(-1), cards.length);
  const what = runs(cards)
    .map(({ kind, count }) => `${count} ${label(kind)}`)
    .join(", ");
  const more = next ? `, ${next.more} more for $${next.dollars}` : "";
  return `Field ${number + 1}: ${what}, earns $${dollars}${more}`;
}
