// What the card games share: hands, fields, dollars, draw pile and discards, and the events that change them.

/**
 * @typedef {string|null} Card a kind; null for a card that is not seen
 * @typedef {object} CardState
 * @property {number} turn from 1; 0 before the first
 * @property {number} active the seat whose turn it is; -1 before the first turn
 * @property {Card[][]} hands per seat, the first card is planted first
 * @property {string[][][]} fields per seat and field, the cards in planting order
 * @property {number[]} dollars per seat; in the duel without bo(h)nus cards
 * @property {string[]} turned the cards turned over; in the game for two the open ones
 * @property {number} pile cards in the draw pile
 * @property {string[]} discards the discard pile, its top card last
 * @property {number} runOuts how often the pile ran out
 * @property {{scores: number[], places: number[]}|null} over the end
 */

/** @returns {CardState} the table before the deal */
export function cardTable(rules) {
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

/** The cards of an event that draws; unknown ones where the seat did not see them. */
export function drawn(event) {
  return event.cards.length ? event.cards : Array(event.count).fill(null);
}

/** Take the cards at `positions` out of `cards`; without positions the last `count`, which are not seen. */
export function takeFrom(cards, positions, count) {
  if (positions.length)
    return positions
      .toReversed()
      .map((position) => cards.splice(position, 1)[0])
      .reverse();
  return count ? cards.splice(-count) : [];
}

/** What each event does to a `CardState`. */
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
    const source = {
      hand: state.hands[event.seat],
      aside: state.aside?.[event.seat],
      open: state.turned,
      turned: state.turned,
    };
    if (event.source === "gift") state.gifts[event.seat] = null;
    else source[event.source].splice(event.position, 1);
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
