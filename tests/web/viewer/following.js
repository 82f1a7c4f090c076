// What tests ask of the part of the viewer that follows games: one answer a line. Run by node.py.

import { createInterface } from "node:readline";
import { early, meant, placesOf } from "../../../server/beanleague/web/static/play/actions.js";
import { KEYS } from "../../../server/beanleague/web/static/viewer/keys.js";
import { filled, parseOrder } from "../../../server/beanleague/web/static/viewer/orders.js";
import { neighbour } from "../../../server/beanleague/web/static/viewer/player.js";
import { beanometer, endsWith, rulesOf } from "../../../server/beanleague/web/static/viewer/rules.js";
import { apply, FAMILIES } from "../../../server/beanleague/web/static/viewer/state/families.js";
import {
  across,
  besides,
  compared,
  partedAt,
  turnsOf,
} from "../../../server/beanleague/web/static/viewer/state/rotations.js";
import { Timeline } from "../../../server/beanleague/web/static/viewer/state/timeline.js";
import { waitText } from "../../../server/beanleague/web/static/viewer/waiting.js";

/**
 * @import { Record } from "../../../server/beanleague/web/static/viewer/records.js"
 * @typedef {number|null} Seat
 */

/** @param {Record} record */
const timelineOf = (record) => new Timeline(record, rulesOf(record));

const ANSWERS = {
  beanometer,
  early,
  meant,
  placesOf,
  endsWith,
  filled,
  neighbour,
  parseOrder,
  waitText,
  commands: () => KEYS.map((each) => each.command),

  /**
   * What the table has of `names` after each event.
   * @param {Record} record
   * @param {string[]} names
   */
  byEvent(record, names) {
    const rules = rulesOf(record);
    const table = FAMILIES[rules.family].table(rules);
    return record.events.map((event) => {
      apply(table, event, rules);
      return names.map((name) => JSON.stringify(table[name] ?? null));
    });
  },

  /**
   * Per position: who was asked what, and the events on the way there.
   * @param {Record} record
   */
  positions(record) {
    const timeline = timelineOf(record);
    return Array.from({ length: timeline.length + 1 }, (_, at) => {
      const answer = timeline.answer(at);
      return [answer?.move.seat ?? null, answer?.decision ?? null, timeline.events(at)];
    });
  },

  /**
   * The tables at some positions, as a seat sees them.
   * @param {Record} record
   * @param {Seat} seat
   * @param {number[]} positions
   */
  tables(record, seat, positions) {
    const timeline = timelineOf(record);
    timeline.look(seat);
    return positions.map((at) => structuredClone(timeline.table(at)));
  },

  /**
   * The sentences of all events and moves, and what was asked.
   * @param {Record} record
   */
  words(record) {
    const timeline = timelineOf(record);
    const { words } = timeline;
    return {
      lines: record.events.map((event, i) => words.line(i, event)),
      did: record.moves.map((move, i) => words.move(i, move, timeline.events(i + 1)[0])),
      asked: record.asked.map((decision) => words.question(decision)),
    };
  },

  compared: (dealt, bot, ...more) => compared(dealt, bot, ...more.map((each) => each ?? undefined)),

  /**
   * Where two games parted, and their turns for a seat: per turn and game its number, what the seat had, and how many
   * lines say what it did.
   * @param {Record} one
   * @param {Record} other
   * @param {number} seat
   */
  sideBySide(one, other, seat) {
    const [own, another] = [one, other].map((record) => turnsOf(timelineOf(record), seat));
    const turns = besides(own, another).map((pair) => pair.map(({ turn, money, done }) => [turn, money, done.length]));
    return { parted: partedAt(one, other), turns };
  },

  /**
   * Where the second game is shown, and in which turns, after the first one has gone to each of some positions.
   * @param {Record} one
   * @param {Record} other
   * @param {number[]} positions
   */
  inStep(one, other, positions) {
    const [leader, follower] = [timelineOf(one), timelineOf(other)];
    const parted = partedAt(one, other);
    let shown = 0;
    return positions.map((at) => {
      shown = across(leader, at, follower, shown, parted);
      return [shown, leader.turnOf[at], follower.turnOf[shown]];
    });
  },

  /** @param {Record} record */
  survey(record) {
    const { money, turns, turnOf, marks } = timelineOf(record);
    return { money, turns, turnOf, marks };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { name, given } = JSON.parse(line);
  let answer;
  try {
    answer = { answer: ANSWERS[name](...given) };
  } catch (problem) {
    answer = { problem: String(problem) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
