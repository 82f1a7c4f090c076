// State of the trading games: the table, and the effect of each event.

import { CARD_EVENTS, cardTable, takeFrom } from "./cards.js";

/**
 * @import { FamilyHandlers, Kind } from "../records.js"
 * @import { CardRules } from "../rules.js"
 * @import { Card, CardState } from "./cards.js"
 *
 * @typedef {object} Trade the round of trading that is shown
 * @property {number} seat the active player
 * @property {number[]} to the seats addressed
 * @property {Kind[]} gives kinds: turned-over ones first
 * @property {number[]} turned positions of the turned-over cards offered
 * @property {Kind[]} wants kinds; both empty: a call for offers
 * @property {{seat: number, answer: "accept"|"decline"|"counter", gives: Kind[], wants: Kind[]}[]} answers
 * @property {{partner: number, gives: Kind[], receives: Kind[]}|null} done the trade carried out
 * @property {boolean} refused whether all answers were refused
 */

/** @typedef {CardState & {aside: Kind[][], trade: Trade|null}} BohnanzaState */

/**
 * @param {CardRules} rules
 * @returns {BohnanzaState} the table before the deal
 */
export function table(rules) {
  return { ...cardTable(rules), aside: Array.from({ length: rules.seats }, () => []), trade: null };
}

/**
 * @param {BohnanzaState} state
 * @returns {Trade}
 * @throws {Error} if there is none
 */
function round(state) {
  if (!state.trade) throw new Error("nothing is offered");
  return state.trade;
}

/** Effect of each event on the table. @satisfies {FamilyHandlers<"bohnanza", BohnanzaState, CardRules>} */
export const EVENTS = {
  ...CARD_EVENTS,
  turn_started(state, event) {
    CARD_EVENTS.turn_started(state, event);
    state.trade = null;
  },
  offered(state, { seat, to, gives, turned, wants }) {
    state.trade = { seat, to, gives, turned, wants, answers: [], done: null, refused: false };
  },
  answered(state, { seat, answer, gives, turned, wants }) {
    const wanted = [...turned.map((position) => state.turned[position]), ...wants];
    round(state).answers.push({ seat, answer, gives, wants: wanted });
  },
  traded(state, event) {
    const { seat, partner, gives, receives } = event;
    const turned = event.turned.length;
    takeFrom(state.turned, event.turned, 0);
    takeFrom(state.hands[seat], event.hand, gives.length - turned);
    takeFrom(state.hands[partner], event.partner_hand, receives.length);
    state.aside[partner].push(...gives);
    state.aside[seat].push(...receives);
    round(state).done = { partner, gives, receives };
  },
  refused(state) {
    round(state).refused = true;
  },
  trading_ended(state, event) {
    state.turned = [];
    state.aside[event.seat].push(...event.left);
    state.trade = null;
  },
};

/** Dollars per seat, as the curve shows them. @param {CardState} state */
export function money(state) {
  return [...state.dollars];
}
