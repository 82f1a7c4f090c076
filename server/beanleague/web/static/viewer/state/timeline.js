// A record as a sequence of positions: the table after each move, with the events in between. If the rules do not
// assign the events to moves, each event is a position.

import { Words } from "../text/words.js";
import { apply, FAMILIES } from "./families.js";
import { seenBy } from "./sight.js";

const CHECKPOINT = 64; // moves between two stored tables

/**
 * @import { Event, Fault, Record } from "../records.js"
 * @import { Rules } from "../rules.js"
 * @import { Table } from "./families.js"
 *
 * @typedef {object} Mark a move to jump to
 * @property {number} at the position after it
 * @property {number} seat
 */

/**
 * Position 0 is the table as the first decision is asked, position m that after m moves. Without decisions position 0 is
 * the table before the deal, and position m that after m events.
 */
export class Timeline {
  /**
   * @param {Record} record
   * @param {Rules} rules
   * @throws {Error} if its events cannot be followed
   */
  constructor(record, rules) {
    this.record = record;
    this.rules = rules;
    this.byMove = Boolean(record.asked);
    /** The number of events at each position. */
    this.counts = record.happened
      ? eventCounts(record.happened, record.events.length)
      : [...record.events.keys(), record.events.length];
    this.length = this.counts.length - 1;
    this.family = FAMILIES[rules.family];
    this.words = new Words(record);
    /** @type {number|null} the seat whose view is shown; null for everything */
    this.seat = null;
    /** @type {Map<number, Table>} some tables, by position */
    this.kept = new Map();
    /** @type {{at: number, table: Table}|null} */
    this.cursor = null;
    /** @type {number[]} per position */
    this.turnOf = [];
    /** @type {number[]} positions at which turns begin */
    this.turns = [];
    /** @type {number[][]} per position, of every seat */
    this.money = [];
    /** @type {{trade: Mark[], harvest: Mark[], fault: Mark[]}} */
    this.marks = { trade: [], harvest: [], fault: [] };
    const faults = this.byMove ? record.faults : [];
    this.faults = new Map(faults.map((fault) => [fault.move + 1, fault]));
    this.forfeits = faults.filter((fault) => fault.forfeited);
    this.survey();
  }

  /** Show the view of `seat`; null: everything. @param {number|null} seat */
  look(seat) {
    this.seat = seat;
    this.kept = new Map();
    this.cursor = null;
  }

  /** Find turns, marks and the money of every position, in one pass. */
  survey() {
    const table = this.family.table(this.rules);
    for (let at = 0, event = 0; at <= this.length; at++) {
      const turn = table.turn;
      for (; event < this.counts[at]; event++) {
        apply(table, this.record.events[event], this.rules);
        this.mark(this.record.events[event], at);
      }
      if (table.turn !== turn) this.turns.push(at);
      const fault = this.faults.get(at);
      if (fault) this.marks.fault.push({ at, seat: fault.seat });
      this.turnOf.push(table.turn);
      this.money.push(this.family.money(table, this.rules));
    }
  }

  /**
   * @param {Event} event
   * @param {number} at
   */
  mark(event, at) {
    const kind = MARKED[event.event];
    const seat = "seat" in event ? event.seat : this.rules.seats;
    if (kind && this.marks[kind].at(-1)?.at !== at) this.marks[kind].push({ at, seat });
  }

  /** The table at a position. It belongs to the timeline: read it before the next call. @param {number} at */
  table(at) {
    const from = Math.floor(at / CHECKPOINT) * CHECKPOINT;
    const near = this.cursor && from <= this.cursor.at && this.cursor.at <= at;
    const cursor = near && this.cursor ? this.cursor : this.restore(from);
    this.cursor = cursor;
    while (cursor.at < at) {
      cursor.at += 1;
      for (const event of this.events(cursor.at)) apply(cursor.table, event, this.rules);
      const keep = cursor.at % CHECKPOINT === 0 && !this.kept.has(cursor.at);
      if (keep) this.kept.set(cursor.at, structuredClone(cursor.table));
    }
    return cursor.table;
  }

  /** The last stored table before a position, at first the table before the deal. @param {number} from */
  restore(from) {
    const at = Math.max(-1, ...[...this.kept.keys()].filter((kept) => kept <= from));
    return { at, table: structuredClone(this.kept.get(at)) ?? this.family.table(this.rules) };
  }

  /** The visible events between position `at - 1` and `at`. @param {number} at */
  events(at) {
    return this.record.events.slice(this.firstEvent(at), this.counts[at]).map((event) => seenBy(event, this.seat));
  }

  /** The number of the first event between position `at - 1` and `at`. @param {number} at */
  firstEvent(at) {
    return at ? this.counts[at - 1] : 0;
  }

  /**
   * The move that leads to a position, and the decision that it answered; null at the beginning and without decisions.
   * @param {number} at
   */
  answer(at) {
    const { moves, asked } = this.record;
    return at && asked ? { move: moves[at - 1], decision: asked[at - 1] } : null;
  }

  /** The positions of the turn that `at` belongs to: its first and its last. @param {number} at */
  turnAround(at) {
    const turn = this.turnOf[at];
    return [this.turnOf.indexOf(turn), this.turnOf.lastIndexOf(turn)];
  }

  /** The seats that have forfeited before a position is reached. @param {number} at */
  forfeitedAt(at) {
    return new Set(this.forfeits.filter((fault) => fault.move < at).map((fault) => fault.seat));
  }
}

/**
 * The number of events at each position.
 * @param {number[]} happened per move, those since the decision before it
 * @param {number} all
 */
function eventCounts(happened, all) {
  let count = 0;
  return [...happened.map((more) => (count += more)), all];
}

/** @type {{[event: string]: "trade"|"harvest"}} */
const MARKED = {
  traded: "trade",
  gift_given: "trade",
  bluff_paid: "trade",
  harvested: "harvest",
  column_harvested: "harvest",
  card_harvested: "harvest",
  card_stolen: "harvest",
};
