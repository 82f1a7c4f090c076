// Two games of a deal: the seats to compare, the first different move, and their turns for one seat. Mirrors
// beanbot.analysis.rotations, which serves the terminal.

/**
 * @import { Event, Record } from "../records.js"
 * @import { Timeline } from "./timeline.js"
 *
 * @typedef {object} DealtSeat a seat in one rotation of a deal, with its player's result
 * @property {string} match
 * @property {number} seat
 * @property {string} player "name@version"
 * @property {number} score
 *
 * @typedef {object} SeatTurn one turn for one seat
 * @property {number} turn
 * @property {number} money of the seat at the end of the turn
 * @property {import("../records.js").Part[][]} done its trades, harvests and purchases, in words
 */

/** @type {Set<string>} the events listed for a turn */
const TOLD = new Set(["traded", "gift_given", "harvested", "column_harvested", "card_harvested", "field_bought"]);

/**
 * The seat where `bot` fell most behind others, and the best of these others in the same seat; null if no other bot
 * had one of its seats. Bots are "name" or "name@version".
 * @param {DealtSeat[]} dealt
 * @param {string} bot
 * @param {string} [against] the other bot
 * @param {number} [seat] only this seat
 * @returns {[DealtSeat, DealtSeat]|null}
 */
export function compared(dealt, bot, against, seat) {
  const pairs = dealt
    .filter((own) => is(own, bot) && (seat === undefined || own.seat === seat))
    .map((own) => ({ own, others: rivals(dealt, own, against) }))
    .filter(({ others }) => others.length);
  /** @param {{own: DealtSeat, others: DealtSeat[]}} pair */
  const lost = ({ own, others }) => others.reduce((sum, each) => sum + each.score, 0) / others.length - own.score;
  const worst = first(pairs, lost);
  return worst ? [worst.own, first(worst.others, (each) => each.score)] : null;
}

/**
 * @param {DealtSeat[]} dealt
 * @param {DealtSeat} own
 * @param {string} [against]
 */
function rivals(dealt, own, against) {
  return dealt.filter(
    (each) => each.seat === own.seat && each.player !== own.player && (!against || is(each, against)),
  );
}

/**
 * @param {DealtSeat} seat
 * @param {string} bot
 */
function is({ player }, bot) {
  return player === bot || player.split("@")[0] === bot;
}

/**
 * The first item with the highest value.
 * @template Item
 * @param {Item[]} items
 * @param {(item: Item) => number} value
 * @returns {Item}
 */
function first(items, value) {
  const values = items.map(value);
  return items[values.indexOf(Math.max(...values))];
}

/**
 * The index of the first different move of two games; null if they are equal.
 * @param {Record} one
 * @param {Record} other
 */
export function partedAt(one, other) {
  const made = (/** @type {Record} */ record) => record.moves.map((move) => JSON.stringify({ ...move, default: null }));
  const [moves, others] = [made(one), made(other)];
  const at = moves.findIndex((move, i) => i < others.length && move !== others[i]);
  return at < 0 ? null : at;
}

/**
 * The turns of a match for one seat.
 * @param {Timeline} timeline
 * @param {number} seat
 * @returns {SeatTurn[]}
 */
export function turnsOf(timeline, seat) {
  const { record, counts, money, words } = timeline;
  /** @type {SeatTurn[]} */
  const turns = [];
  /** @type {SeatTurn} events before the first turn belong to no turn */
  let now = { turn: 0, money: 0, done: [] };
  for (let at = 0; at <= timeline.length; at++) {
    for (let number = timeline.firstEvent(at); number < counts[at]; number++) {
      const event = record.events[number];
      if (event.event === "turn_started") {
        now.money = money[at][seat];
        now = { turn: event.turn, money: 0, done: [] };
        turns.push(now);
      } else if (TOLD.has(event.event) && seatsOf(event).includes(seat)) now.done.push(words.line(number, event));
    }
  }
  now.money = money[timeline.length][seat];
  return turns;
}

/**
 * The seats of an event: the acting one and its partner.
 * @param {Event} event
 */
function seatsOf(event) {
  return ["seat" in event ? event.seat : null, "partner" in event ? event.partner : null];
}

/**
 * The turns of two games side by side, if the seat acted in either, and the last one. A game that ended earlier repeats
 * its last turn.
 * @param {SeatTurn[]} own
 * @param {SeatTurn[]} other
 * @returns {[SeatTurn, SeatTurn][]}
 */
export function besides(own, other) {
  const length = Math.max(own.length, other.length);
  /** @type {(game: SeatTurn[], number: number, longer: SeatTurn[]) => SeatTurn} */
  const at = (game, number, longer) =>
    game[number] ?? { ...game[game.length - 1], turn: longer[number].turn, done: [] };
  return Array.from(
    { length },
    (_, number) => /** @type {[SeatTurn, SeatTurn]} */ ([at(own, number, other), at(other, number, own)]),
  ).filter(([one, another], number) => one.done.length || another.done.length || number === length - 1);
}

/**
 * The position of a game while another one of the deal is at `at`: the same up to the first different move, then the
 * beginning of that turn, or its end when coming from a later one. Within a turn a game keeps its position.
 * @param {Timeline} leader
 * @param {number} at
 * @param {Timeline} follower
 * @param {number} shown its position
 * @param {number} parted the last position that is the same in both
 */
export function across(leader, at, follower, shown, parted) {
  if (at <= parted) return at;
  const turn = leader.turnOf[at];
  const before = follower.turnOf[shown];
  if (before === turn && shown >= parted) return shown;
  const begin = follower.turnOf.indexOf(turn);
  if (begin < 0) return follower.length;
  return before > turn ? follower.turnOf.lastIndexOf(turn) : Math.max(begin, parted);
}
