// Actions on the board: the places that a click may mean, and harvests that one more card would improve.

import { beanometer } from "../viewer/rules.js";

/**
 * @import { Action } from "../viewer/records.js"
 * @import { CardState } from "../viewer/state/cards.js"
 */

/**
 * The places on the board (`data-at`) of an action. A click plants, gives a card or names a die; whatever takes cards off
 * the table for good, such as a harvest, has a button only.
 * @param {Action} action
 * @param {number} seat
 * @returns {string[]}
 */
export function placesOf(action, seat) {
  const field = () => `field-${seat}-${action.field}`;
  /** @type {{[name: string]: () => string[]}} */
  const places = {
    plant: () => [field(), `hand-${seat}-0`],
    plant_aside: () => [field(), `aside-${seat}-${action.card}`],
    plant_open: () => [field(), `turned-${action.card}`],
    plant_turned: () => [field(), `turned-${action.card}`],
    plant_gift: () => [field(), `gift-${seat}-0`],
    give: () => [action.source === "hand" ? `hand-${seat}-${action.position}` : `turned-${action.position}`],
    lose_die: () => [`die-${action.die}`],
  };
  return places[action.action]?.() ?? [];
}

/**
 * The actions that a click on `place` may mean, with `selected` as the place clicked before.
 * @param {Action[]} legal
 * @param {number} seat
 * @param {string} place
 * @param {string|null} selected
 */
export function meant(legal, seat, place, selected) {
  return legal.filter((action) => {
    const places = placesOf(action, seat);
    return places.includes(place) && (!selected || places.includes(selected) || places.length === 1);
  });
}

/**
 * What a harvest gives up: its earnings now and with one card more, if that would be more; else null.
 * @param {Action} action
 * @param {Pick<CardState, "fields">} table
 * @param {number} seat
 * @returns {{kind: string, dollars: number, more: number}|null}
 */
export function early(action, table, seat) {
  if (action.action !== "harvest") return null;
  const cards = table.fields[seat][action.field];
  const kind = cards.at(-1);
  if (!kind) return null;
  const now = beanometer(kind, cards.length).dollars;
  const more = beanometer(kind, cards.length + 1).dollars;
  return more > now ? { kind, dollars: now, more } : null;
}
