// A record as a row of positions: the table after each number of moves, and what happened on the way there. Where the
// rules do not say which events follow from which move, each event is a position.

import { apply, FAMILIES } from "./families.js";
import { seenBy } from "./sight.js";

const CHECKPOINT = 64; // moves between two tables that are kept

/**
 * @typedef {object} Mark a move with something to find
 * @property {number} at the position after it
 * @property {number} seat
 *
 * Position 0 is the table as the first decision is asked, position m that after m moves. Without decisions position 0 is
 * the table before the deal, and position m that after m events.
 */
export class Timeline {
  /**
   * @param {object} record as the viewer reads it, see mount in viewer.js
   * @param {import("../rules.js").Rules} rules
   * @throws {Error} if its events cannot be followed
   */
  constructor(record, rules) {
    this.record = record;
    this.rules = rules;
    this.byMove = Boolean(record.asked);
    this.counts = this.byMove ? eventCounts(record) : [...record.events.keys(), record.events.length];
    this.length = this.counts.length - 1;
    this.family = FAMILIES[rules.family];
    this.seat = null; // whose sight the tables show; null for everything
    const faults = this.byMove ? record.faults : [];
    this.faults = new Map(faults.map((fault) => [fault.move + 1, fault]));
    this.forfeits = faults.filter((fault) => fault.forfeited);
    this.look(null);
    this.survey();
  }

  /** Show what `seat` saw; null: everything. */
  look(seat) {
    this.seat = seat;
    this.kept = new Map();
    this.cursor = null;
  }

  /** Find turns, marks and the money of every position, in one pass. */
  survey() {
    const table = this.family.table(this.rules);
    this.turnOf = [];
    this.turns = []; // positions at which turns begin
    this.money = []; // per position, of every seat
    this.marks = { trade: [], harvest: [], fault: [] };
    for (let at = 0, event = 0; at <= this.length; at++) {
      const turn = table.turn;
      for (; event < this.counts[at]; event++) {
        apply(table, this.record.events[event], this.rules);
        this.mark(this.record.events[event], at);
      }
      if (table.turn !== turn) this.turns.push(at);
      if (this.faults.has(at)) this.marks.fault.push({ at, seat: this.faults.get(at).seat });
      this.turnOf.push(table.turn);
      this.money.push(this.family.money(table, this.rules));
    }
  }

  mark(event, at) {
    const kind = MARKED[event.event];
    if (kind && this.marks[kind].at(-1)?.at !== at) this.marks[kind].push({ at, seat: event.seat ?? this.rules.seats });
  }

  /** The table at a position. It belongs to the timeline: read it before the next call. */
  table(at) {
    const from = Math.floor(at / CHECKPOINT) * CHECKPOINT;
    if (!this.cursor || this.cursor.at > at || this.cursor.at < from) this.restore(from);
    while (this.cursor.at < at) this.step();
    return this.cursor.table;
  }

  restore(from) {
    const known = [...this.kept.keys()].filter((at) => at <= from);
    const at = known.length ? Math.max(...known) : -1;
    const table = at < 0 ? this.family.table(this.rules) : structuredClone(this.kept.get(at));
    this.cursor = { at, table };
    while (this.cursor.at < from) this.step();
  }

  step() {
    const at = this.cursor.at + 1;
    for (const event of this.events(at)) apply(this.cursor.table, event, this.rules);
    this.cursor.at = at;
    if (at % CHECKPOINT === 0 && !this.kept.has(at)) this.kept.set(at, structuredClone(this.cursor.table));
  }

  /** The events between position `at - 1` and `at`, as they are seen. */
  events(at) {
    const from = at ? this.counts[at - 1] : 0;
    return this.record.events.slice(from, this.counts[at]).map((event) => seenBy(event, this.seat));
  }

  /** The move that leads to a position, and the decision that it answered; null at the beginning and without decisions. */
  answer(at) {
    return at && this.byMove ? { move: this.record.moves[at - 1], decision: this.record.asked[at - 1] } : null;
  }

  /** The positions of the turn that `at` belongs to: its first and its last. */
  turnAround(at) {
    const turn = this.turnOf[at];
    return [this.turnOf.indexOf(turn), this.turnOf.lastIndexOf(turn)];
  }

  /** The seats that have forfeited before a position is reached. */
  forfeitedAt(at) {
    return new Set(this.forfeits.filter((fault) => fault.move < at).map((fault) => fault.seat));
  }
}

/** The number of events at each position: `happened` has, per move, those since the decision before it. */
function eventCounts({ events, happened }) {
  let count = 0;
  return [...happened.map((more) => (count += more)), events.length];
}

const MARKED = {
  traded: "trade",
  gift_given: "trade",
  bluff_paid: "trade",
  harvested: "harvest",
  column_harvested: "harvest",
  card_harvested: "harvest",
  card_stolen: "harvest",
};
