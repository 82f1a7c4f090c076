// Sentences of a record: the record has templates, whose slots are filled here. games/core/words.py defines them.

/**
 * @typedef {import("../records.js").Part} Part
 * @typedef {import("../records.js").Phrase} Phrase
 * @typedef {{[name: string]: any}} Values fields of an event, a move or a fault
 */

const SLOT = /\{([@#$~+]?)(\w+)(?: (\w+))?\}/g;

/** The sentences of a record: for events, faults, moves and questions. */
export class Words {
  /** @param {import("../records.js").Record} record without sentences, its events and moves are shown by name */
  constructor(record) {
    const { texts = [], lines = {}, faults = [], did = {}, asks = {}, cards = [] } = record.words ?? {};
    this.texts = texts;
    this.asks = asks;
    this.cards = cards;
    this.faults = new Map(record.faults.map((fault, i) => [fault, faults[i]]));
    this.lines = inOrder(
      record.events.map((event) => event.event),
      lines,
    );
    this.did = inOrder(
      record.moves.map((move) => move.action),
      did,
    );
  }

  /** The question of a decision. @param {string} decision */
  question(decision) {
    return this.asks[decision] ?? decision;
  }

  /**
   * The sentence of an event.
   * @param {number} number of the event in the record
   * @param {import("../records.js").Event} event the same as one viewer saw it
   */
  line(number, event) {
    return this.said(this.lines[number], event, event.event);
  }

  /**
   * The lines of simultaneous events; equal sentences, such as several refusals, share a line.
   * @param {number} first number of the first event
   * @param {import("../records.js").Event[]} events as one viewer saw them
   * @returns {Part[][]}
   */
  linesOf(first, events) {
    /** @type {Part[][]} */
    const lines = [];
    for (let i = 0; i < events.length; i++) {
      const phrase = this.lines[first + i];
      const several = typeof phrase === "number" ? this.texts[phrase].split("|")[1] : undefined;
      let last = i;
      while (several && last + 1 < events.length && this.lines[first + last + 1] === phrase) last += 1;
      lines.push(several && last > i ? [several.replace("{}", String(last - i + 1))] : this.line(first + i, events[i]));
      i = last;
    }
    return lines;
  }

  /** The sentence of a fault. @param {import("../records.js").Fault} fault */
  fault(fault) {
    return this.said(this.faults.get(fault), fault, "fault");
  }

  /**
   * The sentence of a move.
   * @param {number} number of the move
   * @param {import("../records.js").Move} move
   * @param {import("../records.js").Event} [caused] the first event that followed from it
   */
  move(number, move, caused) {
    return this.said(this.did[number], { ...caused, ...move }, move.action);
  }

  /**
   * @param {Phrase|undefined} phrase
   * @param {Values} values
   * @param {string} name text without a phrase
   */
  said(phrase, values, name) {
    if (phrase === undefined) return [name];
    const [text, more] = typeof phrase === "number" ? [phrase, {}] : phrase;
    return this.filled(this.texts[text], { ...values, ...more });
  }

  /**
   * @param {string} text
   * @param {Values} values
   * @returns {Part[]}
   */
  filled(text, values) {
    const [one] = text.split("|");
    /** @type {Part[]} */
    const parts = [];
    let end = 0;
    for (const slot of one.matchAll(SLOT)) {
      const [whole, sort, name, count] = slot;
      parts.push(one.slice(end, slot.index), ...this.slot(sort, values[name] ?? "", count && cardsText(values[count])));
      end = slot.index + whole.length;
    }
    return [...parts, one.slice(end)].filter((part) => part !== "");
  }

  /**
   * @param {string} sort
   * @param {any} value
   * @param {string} [hidden] text for hidden cards
   * @returns {Part[]}
   */
  slot(sort, value, hidden) {
    /** @type {any[]} */
    const several = Array.isArray(value) ? value : [value];
    if ((sort === "#" || sort === "~") && !several.length) return [hidden ?? "nothing"];
    if (sort === "#") return [{ kinds: several }];
    if (sort === "~") return [several.map((card) => this.cards[card] ?? card).join(", ")];
    if (sort === "@") return several.flatMap((seat, i) => [...(i ? [", "] : []), { seat }]);
    if (sort === "$") return [{ money: typeof value === "string" ? value : `$${value}` }];
    if (sort === "+") return [String(value + 1)];
    return [String(value)];
  }
}

/** @param {number} count */
function cardsText(count) {
  return count === 1 ? "a card" : `${count} cards`;
}

/**
 * The phrase of each event or move: those of a name are listed in their order, or there is one for all of them.
 * @param {string[]} names
 * @param {{[name: string]: number|Phrase[]}} phrases
 * @returns {(Phrase|undefined)[]}
 */
function inOrder(names, phrases) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  return names.map((name) => {
    const found = Object.hasOwn(phrases, name) ? phrases[name] : undefined;
    if (!Array.isArray(found)) return found;
    const at = counts.get(name) ?? 0;
    counts.set(name, at + 1);
    return found[at];
  });
}
