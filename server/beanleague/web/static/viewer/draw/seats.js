// Layout of the table: seats around the middle, clockwise from the bottom left.

import { h } from "./dom.js";

/**
 * The seats in the two rows around the middle.
 * @param {number} seats
 * @param {number} [near] the seat at the bottom
 * @returns {{top: number[], bottom: number[]}} from left to right
 */
export function ring(seats, near = 0) {
  const around = Array.from({ length: seats }, (_, i) => (near + i) % seats);
  const across = seats < 2 ? 0 : Math.ceil(seats / 2);
  const top = around.slice(1, 1 + across);
  return { top, bottom: [near, ...around.slice(1 + across).reverse()] };
}

/**
 * The panel of a seat, to be filled: `head` with its name, `body` with its cards.
 * @returns {{panel: HTMLElement, head: HTMLElement, body: HTMLElement}}
 */
function panel(seat, name) {
  const head = h("header.bl-seat-head");
  const body = h("div.bl-seat-body");
  const element = h("section.bl-seat", { "data-seat": seat, "aria-label": name }, head, body);
  return { panel: element, head, body };
}

/**
 * An empty table.
 * @param {number} seats
 * @param {string[]} names
 * @param {number} [near] the seat at the bottom
 * @returns {{board: HTMLElement, middle: HTMLElement, seats: {panel: HTMLElement, head: HTMLElement, body: HTMLElement}[]}}
 */
export function board(seats, names, near = 0) {
  const { top, bottom } = ring(seats, near);
  const panels = Array.from({ length: seats }, (_, seat) => panel(seat, names[seat]));
  const middle = h("div.bl-felt", { role: "group", "aria-label": "Middle of the table" });
  const row = (where, who) =>
    h(
      `div.bl-side-of-table.${where}`,
      { "data-count": who.length },
      who.map((seat) => panels[seat].panel),
    );
  const element = h("div.bl-board", { "data-seats": seats }, row("bl-top", top), middle, row("bl-bottom", bottom));
  return { board: element, middle, seats: panels };
}

/**
 * The head of a seat: colour, name, state, and money.
 * @param {{seat: number, name: string, money: string, active: boolean, forfeited?: boolean, place?: string|null}} what
 */
export function seatHead({ seat, name, money, active, forfeited, place }) {
  return [
    h(`span.bl-mark.bl-seat-${seat}`, { "aria-hidden": "true" }, seat),
    h("span.bl-name", { title: name }, h("bdi", {}, name)),
    active ? h("span.bl-tag.bl-active", {}, "turn") : null,
    forfeited ? h("span.bl-tag.bl-bad", {}, "forfeited") : null,
    place ? h(place === "1st" ? "span.bl-tag.bl-first" : "span.bl-tag", {}, place) : null,
    h("span.bl-money", { "data-at": `money-${seat}` }, money),
  ];
}
