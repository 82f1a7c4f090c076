// Rules for a record: kinds in play, fields, dice and decks.

import { BOHNUS, DECKS, KINDS, RULESETS } from "./components.js";
import { readCards } from "./deck_text.js";
import { parseOrder } from "./orders.js";

/**
 * @import { Kind, Record } from "./records.js"
 * @import { Alternative } from "./orders.js"
 *
 * @typedef {object} CardRules
 * @property {string} ruleset its id
 * @property {"bohnanza"|"two"|"duel"|"plain"} family "plain": a game that this viewer does not know
 * @property {number} seats
 * @property {Kind[]} kinds in play, rarest first
 * @property {number} dollar points of score for a dollar: 100 in the duel
 * @property {number} fields fields per player at the start
 * @property {number} price dollars for one more field, 0 if none is sold
 * @property {number} runOuts the run-out that ends the game
 * @property {number} cards bean cards in play
 * @property {{sequence: number[], cents: number}[]} bohnus bo(h)nus cards
 * @property {false} thief
 *
 * @typedef {object} DiceRules
 * @property {string} ruleset its id
 * @property {"dice"} family
 * @property {number} seats
 * @property {Kind[]} kinds on the dice
 * @property {1} dollar
 * @property {Kind[][]} dice the faces of each die
 * @property {{orders: string[], slots: Alternative[][], percent: number[]}[]} deck harvest cards
 * @property {number[]} dollars earnings of a harvest by number of completed orders
 * @property {number} target dollars that end the game
 * @property {boolean} piece whether a roll can be repeated once a turn
 * @property {boolean} thief whether the Bean Thief plays against the seat
 *
 * @typedef {CardRules|DiceRules} Rules
 *
 * @typedef {{orders: string[], percent?: number[]}} HarvestCard
 * @typedef {{family: "dice", edition: string, kinds: Kind[], dice: Kind[][], dollars: number[], target: number, piece: boolean,
 *   thief: boolean}} DiceRuleset
 * @typedef {{kinds: Kind[], fields: number, price: number, runOuts: number}} TableRules for one number of seats
 * @typedef {{family: CardRules["family"], tables: {[seats: string]: TableRules}}} CardRuleset
 *
 * @typedef {object} Components the data written by tools/make_viewer_data.py
 * @property {{[kind: string]: {cards: number, beanometer: number[]}}} KINDS
 * @property {{[ruleset: string]: CardRuleset|DiceRuleset}} RULESETS
 * @property {{[edition: string]: HarvestCard[]}} DECKS
 * @property {{sequence: number[], cents: number}[]} BOHNUS
 */

/**
 * The rules of a record.
 * @param {Record} record as exported
 * @returns {Rules}
 * @throws {Error} if it cannot have been
 */
export function rulesOf(record) {
  const { ruleset, seats } = record;
  const known = Object.hasOwn(RULESETS, ruleset) ? RULESETS[ruleset] : null;
  if (!known) return { ...UNKNOWN, ruleset, seats };
  if (known.family === "dice") {
    const cards = ownDeck(record, (card) => Array.isArray(card.orders)) ?? DECKS[known.edition];
    const deck = cards.map(({ orders, percent = [] }) => ({ orders, slots: orders.map(parseOrder), percent }));
    return { ruleset, seats, dollar: 1, ...known, deck };
  }
  const table = known.tables[seats];
  if (!table) throw new Error("This game is not for so many players.");
  const cards = table.kinds.reduce((sum, kind) => sum + KINDS[kind].cards, 0);
  const { family } = known;
  const duel = family === "duel";
  const bohnus = duel ? (ownBohnus(record) ?? BOHNUS) : [];
  return { ruleset, family, seats, dollar: duel ? 100 : 1, ...table, cards, bohnus, thief: false };
}

/** @type {CardRules} */
const UNKNOWN = {
  ruleset: "",
  family: "plain",
  seats: 0,
  kinds: [],
  dollar: 1,
  fields: 0,
  price: 0,
  runOuts: 0,
  cards: 0,
  bohnus: [],
  thief: false,
};

/**
 * The cards of a custom deck in a record.
 * @param {Record} record
 * @param {(card: {[name: string]: any}) => boolean} fits
 * @returns {any[]|null} null if it names none
 */
function ownDeck(record, fits) {
  const text = record.options?.deck;
  if (typeof text !== "string") return null;
  const cards = readCards(text);
  if (!cards.every(fits)) throw new Error("The deck of this record cannot be read.");
  return cards;
}

/** @param {Record} record */
function ownBohnus(record) {
  const cards = ownDeck(record, (card) => typeof card.sequence === "string");
  return cards?.map((card) => ({ sequence: card.sequence.split("-").map(Number), cents: card.cents }));
}

/**
 * The earnings of a field, and the next step of its beanometer.
 * @param {string} kind
 * @param {number} cards how many there are
 * @returns {{dollars: number, steps: {dollars: number, cards: number}[], next: {dollars: number, more: number}|null}}
 */
export function beanometer(kind, cards) {
  const steps = (KINDS[kind]?.beanometer ?? [])
    .map((needed, i) => ({ dollars: i + 1, cards: needed }))
    .filter((step) => step.cards > 0);
  const dollars = Math.max(0, ...steps.filter((step) => step.cards <= cards).map((step) => step.dollars));
  const later = steps.find((step) => step.cards > cards);
  return { dollars, steps, next: later ? { dollars: later.dollars, more: later.cards - cards } : null };
}

/** The number of a kind in the duel, which is its number of cards. @param {Kind} kind */
export function numberOf(kind) {
  return KINDS[kind]?.cards ?? 0;
}

/**
 * Whether a field of the duel ends with runs of these lengths; the first run may be longer.
 * @param {string[]} cards first planted first
 * @param {number[]} sequence
 */
export function endsWith(cards, sequence) {
  const tail = runs(cards).slice(-sequence.length);
  return (
    tail.length === sequence.length &&
    tail.every((run, i) => (i ? run.count === sequence[i] : run.count >= sequence[0]))
  );
}

/**
 * The runs of equal cards, in order.
 * @param {string[]} cards
 */
export function runs(cards) {
  /** @type {{kind: string, count: number}[]} */
  const found = [];
  for (const kind of cards) {
    const last = found.at(-1);
    if (last?.kind === kind) last.count += 1;
    else found.push({ kind, count: 1 });
  }
  return found;
}
