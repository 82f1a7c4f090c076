// When a seat of the dice games is asked to harvest: a seat that passes there leaves no event.

const STILL_THE_SAME = new Set(["orders_completed", "dollars_drawn", "deck_renewed", "card_drawn"]);

/** Follows who waits to be asked whether it harvests. */
export class DiceAsking {
  constructor(rules, table) {
    this.rules = rules;
    this.table = table;
    this.queue = []; // seats to be asked, in order
    this.declined = new Map(); // seat: what mattered to it when it passed in this turn
  }

  applied(event) {
    const { table, rules } = this;
    const clockwise = Array.from({ length: rules.seats }, (_, i) => (table.active + 1 + i) % rules.seats);
    if (event.event === "turn_started") {
      this.queue = [table.active];
      this.declined.clear();
    } else if (event.event === "rolled") {
      this.queue = clockwise.slice(0, -1);
    } else if (event.event === "saved") {
      const gone = table.saved.length + table.stolen.length;
      this.queue = gone === rules.dice.length ? clockwise : [];
    }
  }

  /** Note a move: whoever is before its seat in the queue was not asked. */
  moved(move, hasEvent) {
    if (move.action !== "pass" && move.action !== "harvest_top") return;
    this.queue = this.queue.slice(this.queue.indexOf(move.seat) < 0 ? this.queue.length : this.queue.indexOf(move.seat));
    if (hasEvent) return;
    this.declined.set(move.seat, this.matters(move.seat));
    this.queue.shift();
  }

  /** Whether `seat` is asked before the event `next`. */
  asks(seat, next) {
    if (next && STILL_THE_SAME.has(next.event)) return false;
    while (this.queue.length && !this.wants(this.queue[0])) this.queue.shift();
    return this.queue[0] === seat;
  }

  wants(seat) {
    return this.ripe(seat) && this.declined.get(seat) !== this.matters(seat);
  }

  ripe(seat) {
    return this.rules.dollars[this.table.completed[seat]] > 0;
  }

  matters(seat) {
    const { completed, dollars, thief } = this.table;
    return String([completed[seat], dollars, thief]);
  }

  question() {
    return null;
  }

  /** Whether the event that comes next is no move although it looks like `move`: a single die saves itself. */
  skips(move) {
    const { rolled, piece } = this.table;
    return move.action === "save" && rolled.length === 1 && !piece && !this.ripe(move.seat);
  }
}
