// State of Bohnanza for two: the table, and the effect of each event. `turned` has the open cards.

import { CARD_EVENTS, cardTable } from "./cards.js";

/**
 * @import { FamilyHandlers } from "../records.js"
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

/** Effect of each event on the table. @satisfies {FamilyHandlers<"two", CardState, CardRules>} */
export const EVENTS = {
  ...CARD_EVENTS,
  joined(state, event) {
    state.discards.splice(-event.cards.length);
    state.turned.push(...event.cards);
  },
  open_discarded(state, event) {
    state.turned.splice(event.position, 1);
    state.discards.push(event.kind);
  },
  hand_discarded(state, event) {
    state.hands[event.seat].splice(event.position, 1);
    state.discards.push(event.kind);
  },
};

/** Dollars per seat, as the curve shows them. @param {CardState} state */
export function money(state) {
  return [...state.dollars];
}
