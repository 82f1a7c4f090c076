// Common state of the card games: hands, fields, dollars, draw pile and discards, and the events that change them.

/**
 * @import { Handlers, Kind } from "../records.js"
 * @import { CardRules } from "../rules.js"
 *
 * @typedef {Kind|null} Card a kind; null for a hidden card
 * @typedef {"dealt"|"drew"|"turn_started"|"planted"|"passed"|"harvested"|"field_bought"|"turned_over"|"ran_out"
 *   |"shuffled"|"game_ended"} CoreName the events that are followed here
 * @typedef {{scores: number[], places: number[]}} Over result of a match
 *
 * @typedef {object} CardState
 * @property {number} turn from 1; 0 before the first
 * @property {number} active the seat whose turn it is; -1 before the first turn
 * @property {Card[][]} hands per seat, the first card is planted first
 * @property {Kind[][][]} fields per seat and field, the cards in planting order
 * @property {number[]} dollars per seat; in the duel without bo(h)nus cards
 * @property {Kind[]} turned the cards turned over; in the game for two the open ones
 * @property {number} pile cards in the draw pile
 * @property {Kind[]} discards the discard pile, its top card last
 * @property {number} runOuts number of run-outs of the pile
 * @property {Over|null} over the end
 * @property {Kind[][]} [aside] per seat, cards traded or turned over that are to be planted
 * @property {(Kind|null)[]} [gifts] per seat, the gift to be planted
 */

/**
 * @param {CardRules} rules
 * @returns {CardState} the table before the deal
 */
export function cardTable(rules) {
  /** @template T @param {() => T} make */
  const each = (make) => Array.from({ length: rules.seats }, make);
  return {
    turn: 0,
    active: -1,
    hands: each(() => []),
    fields: each(() => Array.from({ length: rules.fields }, () => [])),
    dollars: each(() => 0),
    turned: [],
    pile: rules.cards,
    discards: [],
    runOuts: 0,
    over: null,
  };
}

/**
 * The cards of a drawing event; null for cards hidden from the seat.
 * @template T
 * @param {{cards: T[], count: number}} event
 * @returns {(T|null)[]}
 */
export function drawn(event) {
  return event.cards.length ? event.cards : Array(event.count).fill(null);
}

/**
 * Take the cards at `positions` out of `cards`; without positions the last `count`, which are not seen.
 * @param {Card[]} cards
 * @param {number[]} positions
 * @param {number} count
 */
export function takeFrom(cards, positions, count) {
  if (positions.length)
    return positions
      .toReversed()
      .map((position) => cards.splice(position, 1)[0])
      .reverse();
  return count ? cards.splice(-count) : [];
}

/** Effect of each event on a `CardState`. @satisfies {Handlers<CardState, unknown, CoreName>} */
export const CARD_EVENTS = {
  dealt(state, event) {
    state.pile -= event.count;
    state.hands[event.seat].push(...drawn(event));
  },
  drew(state, event) {
    state.pile -= event.count;
    state.hands[event.seat].push(...drawn(event));
  },
  turn_started(state, event) {
    state.turn = event.turn;
    state.active = event.seat;
  },
  planted(state, event) {
    const { seat, source, position } = event;
    if (source === "gift" && state.gifts) state.gifts[seat] = null;
    else if (source === "aside") state.aside?.[seat].splice(position, 1);
    else (source === "hand" ? state.hands[seat] : state.turned).splice(position, 1);
    state.fields[event.seat][event.field].push(event.kind);
  },
  passed() {},
  harvested(state, event) {
    state.fields[event.seat][event.field] = [];
    state.dollars[event.seat] += event.dollars;
    state.discards.push(...Array(event.cards - event.dollars).fill(event.kind));
  },
  field_bought(state, event) {
    state.dollars[event.seat] -= event.price;
    state.fields[event.seat].push([]);
    state.discards.push(...event.discarded);
  },
  turned_over(state, event) {
    state.pile -= event.cards.length;
    state.turned.push(...event.cards);
  },
  ran_out(state, event) {
    state.runOuts = event.time;
  },
  shuffled(state, event) {
    state.pile = event.cards;
    state.discards = [];
  },
  game_ended(state, event) {
    state.over = { scores: event.dollars, places: event.places };
  },
};
