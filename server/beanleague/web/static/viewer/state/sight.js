// What one seat saw: the events with what was hidden from it left out, as its bot got them.

const NOBODY = new Set(["first_dollars", "dollars_drawn", "deck_renewed"]);
const OWNER = new Set(["dealt", "drew", "bohnus_drawn"]);

/**
 * An event as `seat` saw it; see docs/records.md.
 * @param {object} event as in a record
 * @param {number|null} seat null: everything, as the record has it
 * @returns {object}
 */
export function seenBy(event, seat) {
  if (seat === null) return event;
  const own = event.seat === seat;
  const name = event.event;
  if (NOBODY.has(name) || (OWNER.has(name) && !own)) return { ...event, cards: [] };
  if (own && name !== "traded") return event;
  switch (name) {
    case "offered":
    case "answered":
      return { ...event, hand: [] };
    case "traded":
      return { ...event, hand: own ? event.hand : [], partner_hand: event.partner === seat ? event.partner_hand : [] };
    case "gift_given":
      return event.source === "hand" ? { ...event, position: 0 } : event;
    case "hand_discarded":
      return { ...event, position: 0 };
    default:
      return event;
  }
}
