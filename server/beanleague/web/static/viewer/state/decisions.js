// What was asked when a move was made. A free step, such as a harvest, is made before an answer: the question is that of
// the seat's next move.

const FREE = new Set(["harvest", "buy_field", "fulfil"]);
const LYING = new Set(["rolled", "saved", "thief_rolled"]); // the last of them says what dice lie there
const BY_ACTION = {
  offer: "trade",
  call: "trade",
  stop: "trade",
  accept: "answer",
  decline: "answer",
  counter: "answer",
  pick: "pick",
  refuse: "pick",
  plant_aside: "plant_aside",
  offer_gift: "offer_gift",
  accept_gift: "answer_gift",
  decline_gift: "answer_gift",
  give: "give",
  plant_turned: "plant_turned",
  discard_turned: "plant_turned",
  discard_bohnus: "discard_bohnus",
  save: "save",
  roll_again: "save",
  lose_die: "lose",
  discard_open: "plant_offered",
  discard_hand: "discard_hand",
};

/** The questions, as a line. */
export const QUESTIONS = {
  plant_first: "Plant the first card of the hand",
  plant_second: "Plant a second card, or not",
  trade: "Make an offer, ask for offers, or stop trading",
  answer: "Accept the offer, counter it, or decline",
  pick: "Take one of the answers, or none",
  plant_aside: "Plant the cards aside",
  interlude: "Anything to do between the turns?",
  plant_offered: "Plant or discard the cards left by the opponent",
  discard_hand: "Discard a card of the hand, or not",
  plant_drawn: "Plant open cards, or leave them to the opponent",
  offer_gift: "Offer a gift",
  answer_gift: "Accept the gift, or decline",
  give: "Which card to give",
  plant_turned: "Plant the turned-over cards and the gift",
  plant_gift: "Plant the gift",
  discard_bohnus: "Discard a bo(h)nus card, or not",
  drawn_bohnus: "Fulfil a bo(h)nus card just drawn?",
  harvest: "Harvest the card, or not",
  save: "Save dice, or roll again",
  lose: "Which die the Thief takes",
  free: "Anything that is allowed at any time",
};

/**
 * The name of what was asked before a move.
 * @param {object[]} moves of the record
 * @param {number} i the move
 * @param {object[]} before the events of this turn that had happened
 * @param {object[]} after the events from the move on
 * @param {import("../rules.js").Rules} rules
 * @returns {string} a key of `QUESTIONS`
 */
export function decision(moves, i, before, after, rules) {
  const { action, seat } = moves[i];
  if (action === "harvest_top") return harvestTop(before, seat);
  if (FREE.has(action)) return free(moves, i, before, after, rules);
  if (Object.hasOwn(BY_ACTION, action)) return BY_ACTION[action];
  const hasPlanted = before.some((event) => event.event === "planted" && event.source === "hand" && event.seat === seat);
  if (action === "plant") return hasPlanted ? "plant_second" : "plant_first";
  if (action === "plant_open") return has(before, "turned_over") || has(before, "joined") ? "plant_drawn" : "plant_offered";
  if (action === "plant_gift") return active(before) === seat ? "plant_turned" : "plant_gift";
  if (action === "pass") return pass(before, after, rules, hasPlanted, seat);
  return "free";
}

function has(events, name) {
  return events.some((event) => event.event === name);
}

function active(before) {
  return before.find((event) => event.event === "turn_started")?.seat;
}

function pass(before, after, rules, hasPlanted, seat) {
  if (rules.family === "dice") return "harvest";
  if (after[0]?.event === "passed") {
    if (rules.family !== "two") return "plant_second";
    return has(before, "turned_over") || has(before, "joined") ? "plant_drawn" : twoPass(before, seat);
  }
  return "interlude";
}

/** In the game for two, one may pass the second card and then the discard. */
function twoPass(before, seat) {
  const planted = before.filter((event) => event.event === "planted" && event.source === "hand" && event.seat === seat);
  return planted.length > 1 || has(before, "passed") ? "discard_hand" : "plant_second";
}

function free(moves, i, before, after, rules) {
  if (rules.family === "bohnanza" && has(before, "drew")) return "interlude";
  const next = moves[i + 1];
  if (!next || next.seat !== moves[i].seat) return "free";
  return decision(moves, i + 1, before, after.slice(1), rules);
}

/** A card may be harvested before dice are saved or lost, too. */
function harvestTop(before, seat) {
  const last = before.findLast((event) => LYING.has(event.event))?.event;
  if (last === "thief_rolled") return "lose";
  return last === "rolled" && active(before) === seat ? "save" : "harvest";
}
