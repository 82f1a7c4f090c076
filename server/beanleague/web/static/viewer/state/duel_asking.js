// When a seat of the duel is asked about bo(h)nus cards, or between turns: a seat that passes there leaves no event.

import { endsWith } from "../rules.js";

const DRAWING = new Set(["bohnus_drawn", "bohnus_shuffled"]);

/** Follows who is to say something in phase 4. */
export class DuelAsking {
  constructor(rules, table) {
    this.rules = rules;
    this.table = table;
    this.drew = false; // the active player has drawn its beans in this turn
    this.discarding = []; // seats that may still discard a bo(h)nus card
    this.deciding = []; // seats that may fulfil a bo(h)nus card just drawn
  }

  applied(event) {
    const { bohnus, active, turn } = this.table;
    if (event.event === "turn_started") {
      this.drew = false;
      this.discarding = this.deciding = [];
    } else if (event.event === "drew") {
      this.drew = true;
      this.discarding = [active, 1 - active].filter((seat) => bohnus[seat].length);
    } else if (event.event === "bohnus_discarded") {
      this.discarding = this.discarding.filter((seat) => seat !== event.seat);
    } else if (event.event === "bohnus_drawn" && turn) {
      if (event.cards.some((card) => this.met(card))) this.deciding = [event.seat];
    } else if (event.event === "fulfilled" || event.event === "column_harvested") {
      this.discarding = this.discarding.filter((seat) => bohnus[seat].length);
      this.deciding = this.deciding.filter((seat) => bohnus[seat].some((card) => this.met(card)));
    }
  }

  met(card) {
    return this.table.fields.flat().some((cards) => endsWith(cards, this.rules.bohnus[card].sequence));
  }

  moved(move, hasEvent) {
    if (hasEvent) return;
    if (this.discarding[0] === move.seat) this.discarding = this.discarding.slice(1);
    else this.deciding = [];
  }

  /** Whether `seat` is asked before the event `next`. */
  asks(seat, next) {
    if (!this.drew || next?.event === "ran_out") return false;
    if (this.discarding.length) return this.discarding[0] === seat;
    if (this.deciding.length) return this.deciding[0] === seat;
    return !next || !DRAWING.has(next.event);
  }

  /** What `seat` is asked in phase 4 or after it, else null. */
  question(seat) {
    if (!this.drew) return null;
    if (this.discarding[0] === seat) return "discard_bohnus";
    return this.deciding[0] === seat ? "drawn_bohnus" : "interlude";
  }

  skips() {
    return false;
  }
}
