// @ts-nocheck
// What is asked, and what can be done, in the words of the table.

import { heapText, label } from "../viewer/draw/kinds.js";

const QUESTIONS = {
  plant_first: "Plant the first card of your hand",
  plant_second: "Plant the next card too?",
  trade: "Trade",
  answer: "Answer the offer",
  pick: "Take one of the answers?",
  plant_aside: "Plant the cards you have aside",
  interlude: "Between turns",
  plant_offered: "Plant or discard the open cards",
  discard_hand: "Discard a card of your hand?",
  plant_drawn: "Plant open cards, or leave them to the other",
  offer_gift: "Offer a gift; what you do not hold is a bluff",
  answer_gift: "Accept the gift, or offer one in turn",
  give: "Choose the card to give",
  plant_turned: "Plant the turned-over cards",
  plant_gift: "Plant the gift",
  discard_bohnus: "Discard a bo(h)nus card?",
  drawn_bohnus: "Fulfil the card just drawn?",
  harvest: "Harvest your card?",
  save: "Choose the dice to save",
  lose: "Choose the die that the Thief steals",
};
const PASSES = {
  plant_second: "Plant no more",
  interlude: "Go on",
  discard_hand: "Discard nothing",
  plant_drawn: "Leave the rest",
  discard_bohnus: "Discard nothing",
  drawn_bohnus: "Not now",
  harvest: "Not now",
};

/** What is asked. */
export function questionText(question) {
  return QUESTIONS[question] ?? question;
}

/**
 * What an action does.
 * @param {object} action as in a record
 * @param {{table: object, seat: number, names: string[], rules: object, question: string}} at
 */
export function actionWords(action, { table, seat, names, rules, question }) {
  const hand = table.hands?.[seat] ?? [];
  const at = (cards, positions) => heapText(positions.map((position) => cards[position]));
  const cents = (card) => `${rules.bohnus[card].sequence.join("-")} (${rules.bohnus[card].cents}¢)`;
  const into = (field, owner = seat) => {
    const lies = table.fields[owner][field].at(-1);
    return `field ${field}${lies ? ` (${label(lies)})` : ""}`;
  };
  const faces = (dice) => heapText(dice.map((die) => table.faces[die]));
  const words = {
    plant: () => `Plant ${label(hand[0])} in ${into(action.field)}`,
    pass: () => PASSES[question] ?? "Pass",
    harvest: () => `Harvest ${into(action.field)}`,
    buy_field: () => `Buy a field for $${rules.price}`,
    call: () => "Ask all for offers",
    stop: () => "End the trading",
    accept: () => (action.hand.length ? `Accept, giving ${at(hand, action.hand)}` : "Accept"),
    decline: () => "Decline",
    pick: () => `Take what ${names[action.partner]} offers${action.hand.length ? `, giving ${at(hand, action.hand)}` : ""}`,
    refuse: () => "Take none",
    plant_aside: () => `Plant ${label(table.aside[seat][action.card])} in ${into(action.field)}`,
    plant_open: () => `Plant ${label(table.turned[action.card])} in ${into(action.field)}`,
    discard_open: () => `Discard ${label(table.turned[action.card])}`,
    discard_hand: () => `Discard ${label(hand[action.card])}, card ${action.card + 1}`,
    fulfil: () => `Fulfil ${cents(action.card)} with ${into(action.field, action.owner)} of ${names[action.owner]}`,
    offer_gift: () => `Offer ${label(action.kind)}${hand.includes(action.kind) || (table.active === seat && table.turned.includes(action.kind)) ? "" : " (a bluff)"}`,
    accept_gift: () => "Accept",
    decline_gift: () => "Decline, and offer one",
    give: () => (action.source === "hand" ? `Give ${label(hand[action.position])}, card ${action.position + 1} of your hand` : `Give the turned-over ${label(table.turned[action.position])}`),
    plant_turned: () => `Plant ${label(table.turned[action.card])} in ${into(action.field)}`,
    discard_turned: () => `Discard ${label(table.turned[action.card])}`,
    plant_gift: () => `Plant ${label(table.gifts[seat])} in ${into(action.field)}`,
    discard_bohnus: () => `Discard ${cents(action.card)}`,
    save: () => `Save ${faces(action.dice)}`,
    roll_again: () => "Repeat the roll",
    harvest_top: () => "Harvest your card",
    lose_die: () => `Lose ${faces([action.die])}`,
  };
  return words[action.action]?.() ?? action.action;
}

/** The places on the board (`data-at`) that an action is about; a click on one of them may mean it. */
export function placesOf(action, seat) {
  const field = () => `field-${action.owner ?? seat}-${action.field}`;
  const places = {
    plant: () => [field(), `hand-${seat}-0`],
    harvest: () => [field()],
    plant_aside: () => [field(), `aside-${seat}-${action.card}`],
    plant_open: () => [field(), `turned-${action.card}`],
    plant_turned: () => [field(), `turned-${action.card}`],
    plant_gift: () => [field(), `gift-${seat}-0`],
    discard_open: () => [`turned-${action.card}`],
    discard_turned: () => [`turned-${action.card}`],
    discard_hand: () => [`hand-${seat}-${action.card}`],
    give: () => [action.source === "hand" ? `hand-${seat}-${action.position}` : `turned-${action.position}`],
    fulfil: () => [field()],
    harvest_top: () => [`card-${seat}`],
    lose_die: () => [`die-${action.die}`],
  };
  return places[action.action]?.() ?? [];
}
