// The events as visible to one seat, without their hidden parts, as its bot received them.

/** @import { Event } from "../records.js" */

/**
 * An event as visible to `seat`; see docs/records.md.
 * @param {Event} event as in a record
 * @param {number|null} seat null: everything, as the record has it
 * @returns {Event}
 */
export function seenBy(event, seat) {
  if (seat === null) return event;
  const own = "seat" in event && event.seat === seat;
  switch (event.event) {
    case "first_dollars":
    case "dollars_drawn":
    case "deck_renewed":
      return { ...event, cards: [] };
    case "dealt":
    case "drew":
    case "bohnus_drawn":
      return own ? event : { ...event, cards: [] };
    case "offered":
    case "answered":
      return own ? event : { ...event, hand: [] };
    case "traded":
      return { ...event, hand: own ? event.hand : [], partner_hand: event.partner === seat ? event.partner_hand : [] };
    case "gift_given":
      return own || event.source !== "hand" ? event : { ...event, position: 0 };
    case "hand_discarded":
      return own ? event : { ...event, position: 0 };
    default:
      return event;
  }
}
