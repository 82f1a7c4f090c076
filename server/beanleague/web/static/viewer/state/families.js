// The table of families: the module that follows the games of each.

import * as bohnanza from "./bohnanza.js";
import * as dice from "./dice.js";
import * as duel from "./duel.js";
import * as two from "./two.js";

/** Per family: `table(rules)` before the deal, `EVENTS` with what each event does to it, and `money(table, rules)`. */
export const FAMILIES = { bohnanza, two, duel, dice };

/**
 * Carry out an event.
 * @param {object} state a table, which is changed
 * @param {object} event as in a record, or as a seat saw it
 * @param {import("../rules.js").Rules} rules
 * @throws {Error} if the event does not fit the table
 */
export function apply(state, event, rules) {
  const events = FAMILIES[rules.family].EVENTS;
  if (!Object.hasOwn(events, event.event)) throw new Error(`unknown event ${event.event}`);
  events[event.event](state, event, rules);
}
