// The table of families: the module that follows the games of each.

import * as bohnanza from "./bohnanza.js";
import * as dice from "./dice.js";
import * as duel from "./duel.js";
import * as plain from "./plain.js";
import * as two from "./two.js";

/**
 * @import { Event, Family } from "../records.js"
 * @import { Rules } from "../rules.js"
 * @import { Over } from "./cards.js"
 *
 * @typedef {{turn: number, active: number, over: Over|null, [more: string]: any}} Table common part of all families' tables
 *
 * @typedef {object} Follower
 * @property {(rules: any) => Table} table the table before the deal
 * @property {{[name: string]: (table: any, event: any, rules: any) => void}} [EVENTS] effect of each event
 * @property {(table: any, event: any) => void} [follow] carries out any event, without EVENTS
 * @property {(table: any, rules: any) => number[]} money money of each seat
 */

/** @type {{[Name in Family|"plain"]: Follower}} */
export const FAMILIES = { bohnanza, two, duel, dice, plain };

/**
 * Carry out an event.
 * @param {Table} table it is changed
 * @param {Event} event as in a record, or as a seat saw it
 * @param {Rules} rules
 * @throws {Error} if the event does not fit the table
 */
export function apply(table, event, rules) {
  const { EVENTS: events, follow } = FAMILIES[rules.family];
  if (!events) return follow?.(table, event);
  if (!Object.hasOwn(events, event.event)) throw new Error(`unknown event ${event.event}`);
  events[event.event](table, event, rules);
}
