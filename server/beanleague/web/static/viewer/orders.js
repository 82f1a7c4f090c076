// Orders of harvest cards: their notation, and the slots that dice fill.

/**
 * @typedef {string[]} Slot the kinds that a die on this slot may show
 * @typedef {Slot[]} Alternative slots; each needs a die of its own
 */

const TERM = /^(?:(\d{1,3}) +(?:of +)?)?([a-z_]+(?: *\| *[a-z_]+)*)$/;

/**
 * The alternatives of an order such as "soy|green + 2 of garden|red" or "2 green or 2 soy".
 * @param {string} text
 * @returns {Alternative[]} empty if the text cannot be read
 */
export function parseOrder(text) {
  const alternatives = String(text)
    .trim()
    .split(/\s+or\s+/)
    .map(parseAlternative);
  return alternatives.some((slots) => !slots.length) ? [] : alternatives;
}

/**
 * @param {string} text
 * @returns {Alternative} empty if the text cannot be read
 */
function parseAlternative(text) {
  /** @type {Alternative} */
  const slots = [];
  for (const term of text.split("+")) {
    const found = TERM.exec(term.trim());
    if (!found) return [];
    const kinds = found[2].split("|").map((kind) => kind.trim());
    for (let i = 0; i < Math.min(20, Number(found[1] ?? 1)); i++) slots.push(kinds);
  }
  return slots;
}

/**
 * The slots of an alternative that the beans fill, as many as possible.
 * @param {Alternative} slots
 * @param {string[]} beans a kind for each die
 * @returns {boolean[]} per slot
 */
export function filled(slots, beans) {
  const taker = beans.map(() => -1); // per die, the slot that it fills
  /** @type {(slot: number, seen: Set<number>) => boolean} */
  const place = (slot, seen) =>
    beans.some((kind, die) => {
      if (seen.has(die) || !slots[slot].includes(kind)) return false;
      seen.add(die);
      if (taker[die] >= 0 && !place(taker[die], seen)) return false;
      taker[die] = slot;
      return true;
    });
  for (const slot of slots.keys()) place(slot, new Set());
  return slots.map((_, slot) => taker.includes(slot));
}
