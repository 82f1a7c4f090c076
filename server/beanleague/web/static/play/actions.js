// Actions on the board: the places that a click may mean, and harvests that one more card would improve.

import { beanometer } from "../viewer/rules.js";

/**
 * @import { Action } from "../viewer/records.js"
 */

/**
 * The places on the board (`data-at`) of an action. A click plants, gives a card or names a die; whatever takes cards off
 * the table for good, such as a harvest, has a button only.
 * @param {Action} action
 * @param {number} seat
 * @returns {string[]}
 */
export function placesOf(action, seat) {
  switch (action.action) {
    case "plant":
      return [`field-${seat}-${action.field}`, `hand-${seat}-0`];
    case "plant_aside":
      return [`field-${seat}-${action.field}`, `aside-${seat}-${action.card}`];
    case "plant_open":
    case "plant_turned":
      return [`field-${seat}-${action.field}`, `turned-${action.card}`];
    case "plant_gift":
      return [`field-${seat}-${action.field}`, `gift-${seat}-0`];
    case "give":
      return [action.source === "hand" ? `hand-${seat}-${action.position}` : `turned-${action.position}`];
    case "lose_die":
      return [`die-${action.die}`];
    default:
      return [];
  }
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
 * @param {{[more: string]: any}} table with the fields of all seats in a card game
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
