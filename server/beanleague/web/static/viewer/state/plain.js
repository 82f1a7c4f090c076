// State of games without a module here: hands, fields and dollars by the core events. Other events are ignored.

import { CARD_EVENTS, cardTable } from "./cards.js";

/**
 * @import { Event } from "../records.js"
 * @import { CardRules } from "../rules.js"
 * @import { CardState } from "./cards.js"
 */

/**
 * @param {CardRules} rules
 * @returns {CardState} the table before the deal
 */
export function table(rules) {
  return cardTable(rules);
}

/**
 * Carry out an event as far as it is known.
 * @param {CardState} state
 * @param {Event & {[more: string]: any}} event
 */
export function follow(state, event) {
  const own = state.fields[event.seat];
  if (own && event.field !== undefined) while (own.length <= event.field) own.push([]);
  /** @type {{[name: string]: (state: CardState, event: any) => void}} */
  const known = CARD_EVENTS;
  if (Object.hasOwn(known, event.event) && (own || event.seat === undefined)) known[event.event](state, event);
  if (event.places) state.over = { scores: event.scores ?? event.dollars ?? event.cents ?? [], places: event.places };
}

/** Dollars per seat; at the end the scores. @param {CardState} state */
export function money(state) {
  return state.dollars.map((dollars, seat) => state.over?.scores[seat] ?? dollars);
}
