// The trading games: the table, and what each event does to it.

import { CARD_EVENTS, cardTable, takeFrom } from "./cards.js";

/**
 * @typedef {object} Trade the round of trading that is shown
 * @property {number} seat the active player
 * @property {number[]} to the seats addressed
 * @property {string[]} gives kinds: turned-over ones first
 * @property {number[]} turned positions of the turned-over cards offered
 * @property {string[]} wants kinds; both empty: a call for offers
 * @property {{seat: number, answer: string, gives: string[], wants: string[]}[]} answers
 * @property {{partner: number, gives: string[], receives: string[]}|null} done the trade carried out
 * @property {boolean} refused whether no answer was picked
 */

/**
 * @typedef {import("./cards.js").CardState} BohnanzaState with
 * @property {string[][]} aside per seat, cards traded or turned over that are to be planted
 * @property {Trade|null} trade
 */

/** @returns {BohnanzaState} the table before the deal */
export function table(rules) {
  return { ...cardTable(rules), aside: Array.from({ length: rules.seats }, () => []), trade: null };
}

/** What each event does to the table. */
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
    state.trade.answers.push({ seat, answer, gives, wants: wanted });
  },
  traded(state, event) {
    const { seat, partner, gives, receives } = event;
    const turned = event.turned.length;
    takeFrom(state.turned, event.turned, 0);
    takeFrom(state.hands[seat], event.hand, gives.length - turned);
    takeFrom(state.hands[partner], event.partner_hand, receives.length);
    state.aside[partner].push(...gives);
    state.aside[seat].push(...receives);
    state.trade.done = { partner, gives, receives };
  },
  refused(state) {
    state.trade.refused = true;
  },
  trading_ended(state, event) {
    state.turned = [];
    state.aside[event.seat].push(...event.left);
    state.trade = null;
  },
};

/** Dollars per seat, as the curve shows them. */
export function money(state) {
  return [...state.dollars];
}
