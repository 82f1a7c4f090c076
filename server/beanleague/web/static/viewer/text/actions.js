// @ts-nocheck
// Actions in words, as a bot sends them.

import { heapText, label } from "../draw/kinds.js";

const list = (numbers) => (numbers.length ? numbers.join(", ") : "none");

const WORDS = {
  plant: (a) => `plant in field ${a.field}`,
  pass: () => "pass",
  harvest: (a) => `harvest field ${a.field}`,
  buy_field: () => "buy a field",
  offer: (a) => `offer to ${list(a.to)}: turned-over ${list(a.turned)}, hand ${list(a.hand)}, for ${heapText(a.wants) || "nothing"}`,
  call: (a) => `ask ${list(a.to)} for offers`,
  stop: () => "stop trading",
  accept: (a) => `accept${a.hand.length ? `, giving hand ${list(a.hand)}` : ""}`,
  decline: () => "decline",
  counter: (a) => `counter: give hand ${list(a.hand)} for turned-over ${list(a.turned)}, ${heapText(a.wants) || "nothing else"}`,
  pick: (a) => `take the answer of seat ${a.partner}${a.hand.length ? `, giving hand ${list(a.hand)}` : ""}`,
  refuse: () => "take none",
  plant_aside: (a) => `plant card ${a.card} aside in field ${a.field}`,
  plant_open: (a) => `plant open card ${a.card} in field ${a.field}`,
  discard_open: (a) => `discard open card ${a.card}`,
  discard_hand: (a) => `discard hand card ${a.card}`,
  fulfil: (a) => `fulfil bo(h)nus card ${a.card} with field ${a.field} of seat ${a.owner}`,
  offer_gift: (a) => `offer ${label(a.kind)}`,
  accept_gift: () => "accept",
  decline_gift: () => "decline",
  give: (a) => `give card ${a.position} ${a.source === "hand" ? "of the hand" : "turned over"}`,
  plant_turned: (a) => `plant turned-over card ${a.card} in field ${a.field}`,
  discard_turned: (a) => `discard turned-over card ${a.card}`,
  plant_gift: (a) => `plant the gift in field ${a.field}`,
  discard_bohnus: (a) => `discard bo(h)nus card ${a.card}`,
  save: (a) => `save dice ${list(a.dice)}`,
  roll_again: () => "roll again",
  harvest_top: () => "harvest the card",
  lose_die: (a) => `lose die ${a.die}`,
};

/**
 * An action in words.
 * @param {object} action as in a record's moves
 */
export function actionText(action) {
  try {
    return Object.hasOwn(WORDS, action.action) ? WORDS[action.action](action) : String(action.action);
  } catch {
    return String(action.action); // an entry that the action should have is missing
  }
}
