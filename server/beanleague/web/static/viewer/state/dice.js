// State of the dice games, including the Bean Thief's: the table, and the effect of each event.

const MARKER = 5; // dollars that become the new deck

/**
 * @import { FamilyHandlers, Kind } from "../records.js"
 * @import { DiceRules } from "../rules.js"
 * @import { Over } from "./cards.js"
 *
 * @typedef {object} DiceState
 * @property {number} turn
 * @property {number} active
 * @property {number} roll rolls in this turn
 * @property {(Kind|null)[]} faces the kind shown by each die
 * @property {number[]} rolled the dice just rolled
 * @property {number[]} saved the dice in the bean field
 * @property {number[]} stolen the dice that the Thief took in this turn
 * @property {boolean} piece whether a roll can still be repeated in this turn
 * @property {(number|null)[]} tops per seat, its top card by number
 * @property {(number|null)[]} bottoms per seat, its bottom card
 * @property {number[]} completed per seat, completed orders of its top card
 * @property {number[]} dollars per seat
 * @property {number} thief dollars of the Thief
 * @property {{dice: number[], kinds: Kind[], cards: boolean}|null} thiefRoll the Thief's last roll in this turn;
 *   `cards`: for a harvest card
 * @property {number} deck cards in the deck
 * @property {Over|null} over the end
 */

/**
 * @param {DiceRules} rules
 * @returns {DiceState} the table before the cards are dealt
 */
export function table(rules) {
  /** @param {*} value */
  const each = (value) => Array(rules.seats).fill(value);
  return {
    turn: 0,
    active: -1,
    roll: 0,
    faces: rules.dice.map(() => null),
    rolled: [],
    saved: [],
    stolen: [],
    piece: false,
    tops: each(null),
    bottoms: each(null),
    completed: each(0),
    dollars: each(0),
    thief: 0,
    thiefRoll: null,
    deck: rules.deck.length,
    over: null,
  };
}

/** Effect of each event on the table. @satisfies {FamilyHandlers<"dice", DiceState, DiceRules>} */
export const EVENTS = {
  turn_started(state, event, rules) {
    Object.assign(state, { turn: event.turn, active: event.seat, roll: 0, rolled: [], saved: [], stolen: [] });
    Object.assign(state, { faces: state.faces.map(() => null), piece: rules.piece, thiefRoll: null });
  },
  card_drawn(state, { seat, card }) {
    state.deck -= 1;
    if (state.tops[seat] === null) state.tops[seat] = card;
    else state.bottoms[seat] = card;
  },
  rolled(state, event) {
    state.roll = event.roll;
    state.rolled = event.dice;
    for (const [i, die] of event.dice.entries()) state.faces[die] = event.kinds[i];
    if (event.again) state.piece = false;
    state.thiefRoll = null;
  },
  saved(state, event) {
    state.saved = [...state.saved, ...event.dice].sort((a, b) => a - b);
    state.rolled = state.rolled.filter((die) => !event.dice.includes(die));
  },
  orders_completed(state, event) {
    state.completed[event.seat] = event.completed;
  },
  card_harvested(state, { seat, dollars }) {
    state.dollars[seat] += dollars;
    state.tops[seat] = state.bottoms[seat];
    state.bottoms[seat] = null;
    state.completed[seat] = 0;
  },
  dollars_drawn(state, event) {
    state.deck -= event.count;
  },
  deck_renewed(state) {
    state.deck = MARKER;
  },
  thief_rolled(state, { dice, kinds }) {
    state.rolled = [];
    state.thiefRoll = { dice, kinds, cards: false };
  },
  die_stolen(state, { die }) {
    state.saved = state.saved.filter((other) => other !== die);
    state.stolen = [...state.stolen, die];
  },
  super_steal_rolled(state, { kinds }) {
    state.thiefRoll = { dice: kinds.map((_, die) => die), kinds, cards: true };
  },
  card_stolen(state, { bottom, dollars }) {
    state.thief += dollars;
    if (!bottom) state.tops[0] = state.bottoms[0];
    state.bottoms[0] = null;
    state.completed[0] = 0;
  },
  game_ended(state, event) {
    state.over = { scores: event.dollars, places: event.places };
  },
  solo_ended(state, event) {
    state.over = { scores: [event.dollars, event.thief], places: event.won ? [1, 2] : [2, 1] };
  },
};

/**
 * Dollars per seat, then the Thief's, as the curve shows them.
 * @param {DiceState} state
 * @param {DiceRules} rules
 */
export function money(state, rules) {
  return rules.thief ? [...state.dollars, state.thief] : [...state.dollars];
}
