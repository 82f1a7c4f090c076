// State of the duel: the table, and the effect of each event.

import { CARD_EVENTS, cardTable, drawn } from "./cards.js";

/**
 * @import { FamilyHandlers, Kind } from "../records.js"
 * @import { CardRules } from "../rules.js"
 * @import { CardState } from "./cards.js"
 *
 * @typedef {object} Bohnus state of the duel in addition to other card games
 * @property {(number|null)[][]} bohnus per seat, bo(h)nus cards in hand by number; null for hidden ones
 * @property {number[][]} earned per seat, fulfilled bo(h)nus cards
 * @property {(Kind|null)[]} gifts per seat, the gift to be planted
 * @property {{seat: number, kind: Kind, answer: ""|"declined"|"accepted"|"given"|"bluff"}[]} offers of this turn
 * @property {number} bohnusPile
 * @property {number[]} bohnusDiscards
 *
 * @typedef {CardState & Bohnus} DuelState
 */

/**
 * @param {CardRules} rules
 * @returns {DuelState} the table before the deal
 */
export function table(rules) {
  return {
    ...cardTable(rules),
    bohnus: [[], []],
    earned: [[], []],
    gifts: [null, null],
    offers: [],
    bohnusPile: rules.bohnus.length,
    bohnusDiscards: [],
  };
}

/**
 * @param {DuelState} state
 * @param {"declined"|"accepted"|"given"|"bluff"} word
 */
function answer(state, word) {
  const last = state.offers.at(-1);
  if (last) last.answer = word;
}

/**
 * @param {DuelState} state
 * @param {number} seat
 * @param {number} card
 */
function takeBohnus(state, seat, card) {
  const held = state.bohnus[seat];
  const at = held.indexOf(card);
  held.splice(at >= 0 ? at : held.indexOf(null), 1);
}

/** Effect of each event on the table. @satisfies {FamilyHandlers<"duel", DuelState, CardRules>} */
export const EVENTS = {
  ...CARD_EVENTS,
  turn_started(state, event) {
    CARD_EVENTS.turn_started(state, event);
    state.offers = [];
  },
  first_dollars(state, event) {
    state.pile -= event.count;
    state.dollars[event.seat] += event.count;
  },
  bohnus_drawn(state, event) {
    state.bohnusPile -= event.count;
    state.bohnus[event.seat].push(...drawn(event));
  },
  gift_offered(state, { seat, kind }) {
    state.offers.push({ seat, kind, answer: "" });
  },
  gift_declined(state) {
    answer(state, "declined");
  },
  gift_accepted(state) {
    answer(state, "accepted");
  },
  gift_given(state, event) {
    answer(state, "given");
    const source = event.source === "hand" ? state.hands[event.seat] : state.turned;
    source.splice(event.position, 1);
    state.gifts[1 - event.seat] = event.kind;
  },
  bluff_paid(state, event) {
    answer(state, "bluff");
    state.dollars[event.seat] -= event.dollars;
    state.dollars[1 - event.seat] += event.dollars;
    for (const card of event.bohnus) {
      state.earned[event.seat].splice(state.earned[event.seat].indexOf(card), 1);
      state.earned[1 - event.seat].push(card);
    }
  },
  turned_discarded(state, event) {
    state.turned.splice(event.position, 1);
    state.discards.push(event.kind);
  },
  bohnus_discarded(state, event) {
    takeBohnus(state, event.seat, event.card);
    state.bohnusDiscards.push(event.card);
  },
  bohnus_shuffled(state, event) {
    state.bohnusPile = event.cards;
    state.bohnusDiscards = [];
  },
  fulfilled(state, event) {
    takeBohnus(state, event.seat, event.card);
    state.earned[event.seat].push(event.card);
  },
  column_harvested(state, event) {
    state.fields[event.seat][event.field] = [];
    state.dollars[event.seat] += event.dollars;
    state.discards.push(...event.cards.slice(0, event.cards.length - event.dollars));
  },
  duel_ended(state, event) {
    state.over = { scores: event.cents, places: event.places };
  },
};

/**
 * Cents per seat, as the curve shows them.
 * @param {DuelState} state
 * @param {CardRules} rules
 */
export function money(state, rules) {
  /** @param {number} card */
  const worth = (card) => 100 + (rules.bohnus[card]?.cents ?? 0);
  return state.dollars.map((dollars, seat) =>
    state.earned[seat].reduce((sum, card) => sum + worth(card), 100 * dollars),
  );
}
