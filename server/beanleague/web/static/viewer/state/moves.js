// Which events follow from which move. A record lists moves and events apart; most moves have an event of their own, by
// which they are found. A pass may have none: then it is found by the rules of when a seat is asked.

import { apply, FAMILIES } from "./families.js";
import { DiceAsking } from "./dice_asking.js";
import { DuelAsking } from "./duel_asking.js";

const same = (...names) => (move, event) => names.every((name) => event[name] === move[name]);
const planted = (source) => (move, event) =>
  event.source === source && event.field === move.field && (source === "gift" || event.position === (move.card ?? 0));
const always = () => true;

/** Per action, its event and how to know it; the seat is the same. */
const OWN_EVENT = {
  plant: ["planted", planted("hand")],
  plant_aside: ["planted", planted("aside")],
  plant_open: ["planted", planted("open")],
  plant_turned: ["planted", planted("turned")],
  plant_gift: ["planted", planted("gift")],
  harvest: ["harvested", same("field")],
  buy_field: ["field_bought", always],
  offer: ["offered", always],
  call: ["offered", always],
  stop: ["trading_ended", always],
  pick: ["traded", same("partner")],
  refuse: ["refused", always],
  discard_open: ["open_discarded", (move, event) => event.position === move.card],
  discard_hand: ["hand_discarded", (move, event) => event.position === move.card],
  fulfil: ["fulfilled", same("card", "owner", "field")],
  offer_gift: ["gift_offered", same("kind")],
  accept_gift: ["gift_accepted", always],
  decline_gift: ["gift_declined", always],
  give: ["gift_given", same("source", "position")],
  discard_turned: ["turned_discarded", (move, event) => event.position === move.card],
  discard_bohnus: ["bohnus_discarded", same("card")],
  save: ["saved", (move, event) => String(event.dice) === String(move.dice)],
  roll_again: ["rolled", (move, event) => event.again],
  harvest_top: ["card_harvested", always],
  lose_die: ["die_stolen", same("die")],
};
const UNSEATED = new Set(["die_stolen"]); // events without a seat
const RENAMED = { duel: { harvest: "column_harvested" } };
const ANSWERS = new Set(["accept", "decline", "counter"]);
const DRAWING = new Set(["drew", "ran_out", "shuffled"]); // what comes before an interlude of a trading game
const NO_ASKING = { applied() {}, moved() {}, skips: () => false, question: () => null };

/**
 * How many events have happened after each number of moves.
 * @param {object} record as exported
 * @param {import("../rules.js").Rules} rules
 * @returns {{counts: number[], questions: (string|null)[]}} `counts[m]`: the events that have happened when m moves are
 *   played, and the next decision is asked. `questions[i]`: what move i answered, where only its surroundings tell
 * @throws {Error} if moves and events do not belong together
 */
export function followMoves(record, rules) {
  const walk = new Walk(record, rules);
  const counts = record.moves.map((move, i) => walk.start(move, i));
  return { counts: [...counts, record.events.length], questions: walk.questions };
}

class Walk {
  constructor(record, rules) {
    this.events = record.events;
    this.rules = rules;
    this.table = FAMILIES[rules.family].table(rules);
    this.at = 0; // events applied
    this.awaited = 0; // answers to the offer that lies there
    this.questions = record.moves.map(() => null);
    const Asking = { dice: DiceAsking, duel: DuelAsking }[rules.family];
    this.asking = Asking ? new Asking(rules, this.table) : NO_ASKING;
  }

  /** The number of events before `move`; carries out its own event. */
  start(move, i) {
    if (ANSWERS.has(move.action)) return this.answer(i);
    if (this.awaited) this.lost(i);
    const own = move.action === "pass" ? this.passed(move) : this.own(move, i);
    if (own === null) {
      this.pass(move, i);
      return this.at;
    }
    this.advance(own);
    this.questions[i] = this.asking.question(move.seat);
    this.asking.moved(move, true);
    this.advance(own + 1);
    if (move.action === "offer" || move.action === "call") this.awaited = this.events[own].to.length;
    return own;
  }

  /** All answers to an offer are events after the last of them. */
  answer(i) {
    if (this.awaited < 1) this.lost(i);
    this.awaited -= 1;
    const before = this.at;
    if (!this.awaited) while (this.next?.event === "answered") this.advance(this.at + 1);
    return before;
  }

  /** A pass with an event: it comes at once. */
  passed(move) {
    if (this.rules.family === "two") return this.find("passed", always, move, this.at);
    return this.next?.event === "passed" && this.next.seat === move.seat ? this.at : null;
  }

  own(move, i) {
    const known = Object.hasOwn(OWN_EVENT, move.action) ? OWN_EVENT[move.action] : null;
    if (!known) this.lost(i);
    const name = RENAMED[this.rules.family]?.[move.action] ?? known[0];
    for (let from = this.at; ; from++) {
      const found = this.find(name, known[1], move, from);
      if (found === null) this.lost(i);
      this.advance(found);
      if (!this.asking.skips(move)) return found;
      from = found;
    }
  }

  find(name, fits, move, from) {
    for (let at = from; at < this.events.length; at++) {
      const event = this.events[at];
      if (event.event === name && (UNSEATED.has(name) || event.seat === move.seat) && fits(move, event)) return at;
    }
    return null;
  }

  /** A pass without an event: go on to where its seat is asked. */
  pass(move, i) {
    if (this.rules.family === "bohnanza") {
      while (DRAWING.has(this.next?.event)) this.advance(this.at + 1);
    } else {
      while (!this.asking.asks(move.seat, this.next)) {
        if (!this.next) this.lost(i);
        this.advance(this.at + 1);
      }
    }
    this.questions[i] = this.asking.question(move.seat);
    this.asking.moved(move, false);
  }

  get next() {
    return this.events[this.at];
  }

  advance(to) {
    for (; this.at < to; this.at++) {
      const event = this.events[this.at];
      apply(this.table, event, this.rules);
      this.asking.applied(event);
    }
  }

  lost(i) {
    throw new Error(`The events of this record do not fit its moves: move ${i + 1} cannot be found in them.`);
  }
}
