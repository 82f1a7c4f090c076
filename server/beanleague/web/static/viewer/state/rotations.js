// Two games of a deal: whose seats are compared, where they parted, and how they went turn by turn for a seat. This says
// what beanbot.analysis.rotations says in the terminal.

/**
 * @import { Event, Record } from "../records.js"
 * @import { Timeline } from "./timeline.js"
 *
 * @typedef {object} DealtSeat a seat in a rotation of a deal, and what its player made of it
 * @property {string} match
 * @property {number} seat
 * @property {string} player "name@version"
 * @property {number} score
 *
 * @typedef {object} SeatTurn a turn as it went for one seat
 * @property {number} turn
 * @property {number} money what the seat had when the turn ended
 * @property {import("../records.js").Part[][]} done what it traded, harvested and bought, in words
 */

/** @type {Set<string>} the events of a turn that are told */
const TOLD = new Set(["traded", "gift_given", "harvested", "column_harvested", "card_harvested", "field_bought"]);

/**
 * The seat of `bot` of which others made most more on average, and the one of them who made most; null if nobody else
 * had a seat that `bot` had. Bots are written as "name" or "name@version".
 * @param {DealtSeat[]} dealt
 * @param {string} bot
 * @param {string} [against] the other bot
 * @param {number} [seat] this seat alone
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
 * The first of those with the highest value.
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
 * The number of moves after which two games parted; null if they are the same.
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
 * The turns of a match, as they went for a seat.
 * @param {Timeline} timeline
 * @param {number} seat
 * @returns {SeatTurn[]}
 */
export function turnsOf(timeline, seat) {
  const { record, counts, money, words } = timeline;
  /** @type {SeatTurn[]} */
  const turns = [];
  /** @type {SeatTurn} what comes before the first turn is told of none */
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
 * The seats that an event is of: who did it, and with whom.
 * @param {Event} event
 */
function seatsOf(event) {
  return ["seat" in event ? event.seat : null, "partner" in event ? event.partner : null];
}

/**
 * The turns of two games side by side: those in which the seat did something in either, and the last one. A game that
 * has ended stays as it was.
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
 * The position at which a game is shown while another one of the deal is shown at `at`: the same until they parted, then
 * the begin of that turn, or its end for who comes from a later one. Within a turn a game stays where it is.
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
