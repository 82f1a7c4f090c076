// @ts-nocheck
// Events in words. A line is a list of parts: a text, `{seat}`, `{kinds}` or `{money}`.

import { heapText } from "../draw/kinds.js";

/**
 * @typedef {string|{seat: number}|{kinds: string[]}|{money: string}} Part
 */

const THIEF = "The Bean Thief";
const it = (event) => ({ seat: event.seat });
const heap = (kinds) => ({ kinds });
const money = (text) => ({ money: text });
const cards = (count) => (count === 1 ? "a card" : `${count} cards`);
const cents = (amount) => `$${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, "0")}`;

function received(event, verb) {
  return [it(event), ` ${verb} `, event.cards.length ? heap(event.cards) : cards(event.count)];
}

function gives(event, rules) {
  const whom = event.to.length === rules.seats - 1 ? ["all"] : event.to.flatMap((seat, i) => [i ? ", " : "", { seat }]);
  if (!event.gives.length && !event.wants.length) return [it(event), " asks ", ...whom, " for offers"];
  const given = event.gives.length ? heap(event.gives) : "nothing";
  if (!event.wants.length) return [it(event), " offers ", given, " to ", ...whom, " as a gift"];
  return [it(event), " offers ", given, " for ", heap(event.wants), " to ", ...whom];
}

function answers(event, table) {
  if (event.answer === "decline") return [it(event), " declines"];
  if (event.answer === "accept") return [it(event), " accepts", ...(event.gives.length ? [", giving ", heap(event.gives)] : [])];
  const wants = [...event.turned.map((position) => table.turned[position]), ...event.wants].filter((kind) => kind);
  return [it(event), " would give ", event.gives.length ? heap(event.gives) : "nothing", " for ", wants.length ? heap(wants) : "nothing"];
}

function bohnus(rules, number) {
  const card = rules.bohnus[number];
  return card ? `${card.sequence.join("-")} (${card.cents}¢)` : `card ${number}`;
}

function holder(event, rules) {
  return event.seat < rules.seats ? it(event) : THIEF;
}

function faces(table, dice) {
  return heap(dice.map((die) => table.faces[die]));
}

function ending(scores, places, text) {
  const order = scores.map((_, seat) => seat).sort((a, b) => places[a] - places[b]);
  return ["Game over. ", ...order.flatMap((seat, i) => [`${i ? ", " : ""}${places[seat]}. `, { seat }, " ", money(text(scores[seat]))])];
}

/** Per event: its line, given the rules and the table after it. */
const LINES = {
  dealt: (e) => received(e, "is dealt"),
  drew: (e) => received(e, "draws"),
  turn_started: (e) => [`Turn ${e.turn}: `, it(e)],
  planted: (e) => [it(e), " plants ", heap([e.kind]), ` in field ${e.field}`],
  passed: (e, rules) => [it(e), rules.family === "two" ? " goes on" : " plants no second card"],
  harvested: (e) => [it(e), " harvests ", heap(Array(e.cards).fill(e.kind)), " for ", money(`$${e.dollars}`)],
  field_bought: (e) => [it(e), " buys a field for ", money(`$${e.price}`)],
  turned_over: (e) => [it(e), " turns over ", heap(e.cards)],
  ran_out: (e, rules) => [`The draw pile runs out${rules.runOuts > 1 ? `, ${e.time} of ${rules.runOuts}` : ""}`],
  shuffled: (e) => [`${e.cards} discarded cards become the draw pile`],
  game_ended: (e) => ending(e.dollars, e.places, (dollars) => `$${dollars}`),
  offered: (e, rules) => gives(e, rules),
  answered: (e, rules, table) => answers(e, table),
  traded: (e) => [it(e), " gives ", e.gives.length ? heap(e.gives) : "nothing", " to ", { seat: e.partner }, " for ",
    e.receives.length ? heap(e.receives) : "nothing"],
  refused: (e) => [it(e), " takes none of the answers"],
  trading_ended: (e) => [it(e), " ends the trading", ...(e.left.length ? [" and keeps ", heap(e.left)] : [])],
  joined: (e) => ["From the discard pile come ", heap(e.cards)],
  open_discarded: (e) => [it(e), " discards ", heap([e.kind]), " from the open cards"],
  hand_discarded: (e) => [it(e), " discards ", heap([e.kind]), " from hand"],
  first_dollars: (e) => [it(e), ` gets ${cards(e.count)} face down as first dollars`],
  bohnus_drawn: (e, rules) => [it(e), " draws ", e.cards.length ? `bo(h)nus ${e.cards.map((card) => bohnus(rules, card)).join(", ")}`
    : `${e.count} bo(h)nus ${e.count === 1 ? "card" : "cards"}`],
  gift_offered: (e) => [it(e), " offers ", heap([e.kind]), " as a gift"],
  gift_declined: (e) => [it(e), " declines"],
  gift_accepted: (e) => [it(e), " accepts"],
  gift_given: (e) => [it(e), " gives ", heap([e.kind]), e.source === "hand" ? " from hand" : " from the turned-over cards"],
  bluff_paid: (e, rules) => [it(e), " was bluffing and pays ", e.bohnus.length ? `bo(h)nus ${bohnus(rules, e.bohnus[0])}`
    : e.dollars ? money(`$${e.dollars}`) : "nothing"],
  turned_discarded: (e) => [it(e), " discards ", heap([e.kind]), " from the turned-over cards"],
  bohnus_discarded: (e, rules) => [it(e), ` discards bo(h)nus ${bohnus(rules, e.card)}`],
  bohnus_shuffled: (e) => [`${e.cards} discarded bo(h)nus cards become the pile`],
  fulfilled: (e, rules) => [it(e), ` fulfils bo(h)nus ${bohnus(rules, e.card)} with field ${e.field} of `, { seat: e.owner }, " for ",
    money(cents(100 + (rules.bohnus[e.card]?.cents ?? 0)))],
  column_harvested: (e) => [it(e), " harvests ", heap(e.cards), " for ", money(`$${e.dollars}`)],
  duel_ended: (e) => ending(e.cents, e.places, cents),
  card_drawn: (e) => [it(e), ` gets card ${e.card}`],
  rolled: (e) => [it(e), e.again ? " repeats the roll: " : " rolls ", heap(e.kinds)],
  saved: (e, rules, table) => [it(e), " saves ", faces(table, e.dice)],
  orders_completed: (e) => [it(e), ` completes ${e.orders === 1 ? "an order" : `${e.orders} orders`}, now ${e.completed}`],
  card_harvested: (e) => [it(e), ` harvests its card with ${e.completed} orders for `, money(`$${e.dollars}`)],
  dollars_drawn: (e, rules) => [holder(e, rules), ` draws ${cards(e.count)} as dollars`],
  deck_renewed: (e, rules) => [holder(e, rules), " trades in five single dollars, which become the deck"],
  thief_rolled: (e) => [THIEF, " rolls ", heap(e.kinds)],
  die_stolen: (e, rules, table) => [THIEF, " steals ", faces(table, [e.die]), " from the bean field"],
  super_steal_rolled: (e) => [THIEF, " rolls for cards: ", heap(e.kinds)],
  card_stolen: (e) => [THIEF, ` steals the ${e.bottom ? "bottom" : "top"} card${e.order ? ` by its order ${e.order}` : ""} for `,
    money(`$${e.dollars}`)],
  solo_ended: (e) => ending([e.dollars, e.thief], e.won ? [1, 2] : [2, 1], (dollars) => `$${dollars}`),
};

/**
 * The line of an event.
 * @param {object} event as seen
 * @param {import("../rules.js").Rules} rules
 * @param {object} table after it
 * @returns {Part[]}
 */
export function lineOf(event, rules, table) {
  return Object.hasOwn(LINES, event.event) ? LINES[event.event](event, rules, table) : [String(event.event)];
}

/**
 * The lines of events that happen at once; seats that decline one after the other share a line.
 * @returns {Part[][]}
 */
export function linesOf(events, rules, table) {
  const declines = (event) => event.event === "answered" && event.answer === "decline";
  const lines = [];
  for (let i = 0; i < events.length; i++) {
    let last = i;
    while (declines(events[i]) && last + 1 < events.length && declines(events[last + 1])) last += 1;
    if (last > i) lines.push([`${last - i + 1} declined`]);
    else lines.push(lineOf(events[i], rules, table));
    i = last;
  }
  return lines;
}

/** The line of a fault. */
export function faultLine(fault) {
  const then = fault.forfeited ? "it forfeits, and default actions play on" : "the default action is played";
  return [{ seat: fault.seat }, ` fault, ${fault.kind}: ${fault.reason}; ${then}`];
}

/** A line as text. */
export function asText(parts, names) {
  return parts.map((part) => {
    if (typeof part === "string") return part;
    if (part.kinds) return heapText(part.kinds);
    return part.money ?? names[part.seat] ?? "";
  }).join("");
}
