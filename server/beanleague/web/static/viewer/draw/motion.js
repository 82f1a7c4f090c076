// Animation of cards from their places before a move to those after it.

import { card } from "./cards.js";

const FASTEST = 8; // moves a second; above that nothing flies
const LONGEST_MS = 380;
const MOST = 12; // cards at once

/** Duration of a card's flight at a speed, in ms; 0 for none. */
export function flightTime(speed, playing) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return 0;
  if (!playing) return LONGEST_MS;
  return speed > FASTEST ? 0 : Math.min(LONGEST_MS, 700 / speed);
}

/** Per event: the cards that move, each `[kind, from, to]`, places by their `data-at`. */
const FLIGHTS = {
  planted: (e) => [
    [
      e.kind,
      {
        hand: `hand-${e.seat}-0`,
        aside: `aside-${e.seat}-${e.position}`,
        open: `turned-${e.position}`,
        turned: `turned-${e.position}`,
        gift: `gift-${e.seat}`,
      }[e.source],
      `field-${e.seat}-${e.field}`,
    ],
  ],
  harvested: (e) => earned(e, Array(e.cards).fill(e.kind)),
  column_harvested: (e) => earned(e, e.cards),
  drew: (e) => (e.cards.length ? e.cards : Array(e.count).fill(null)).map((kind) => [kind, "pile", `hand-${e.seat}`]),
  turned_over: (e) => e.cards.map((kind) => [kind, "pile", "turned"]),
  joined: (e) => e.cards.map((kind) => [kind, "discards", "turned"]),
  traded: (e) => [
    ...e.gives.map((kind) => [kind, `seat-${e.seat}`, `seat-${e.partner}`]),
    ...e.receives.map((kind) => [kind, `seat-${e.partner}`, `seat-${e.seat}`]),
  ],
  trading_ended: (e) => e.left.map((kind, i) => [kind, `turned-${i}`, `aside-${e.seat}`]),
  open_discarded: (e) => [[e.kind, `turned-${e.position}`, "discards"]],
  hand_discarded: (e) => [[e.kind, `hand-${e.seat}-${e.position}`, "discards"]],
  turned_discarded: (e) => [[e.kind, `turned-${e.position}`, "discards"]],
  gift_given: (e) => [
    [e.kind, e.source === "hand" ? `hand-${e.seat}-${e.position}` : `turned-${e.position}`, `gift-${1 - e.seat}`],
  ],
  bluff_paid: (e) => (e.dollars ? [[null, `money-${e.seat}`, `money-${1 - e.seat}`]] : []),
};

function earned(event, cards) {
  const field = `field-${event.seat}-${event.field}`;
  return cards.map((kind, i) => [kind, field, i >= cards.length - event.dollars ? `money-${event.seat}` : "discards"]);
}

function place(board, at) {
  const found = board.querySelector(
    at.startsWith("seat-") ? `[data-seat="${at.slice(5)}"] .bl-seat-body` : `[data-at="${at}"]`,
  );
  return found?.getBoundingClientRect() ?? null;
}

/**
 * Record the places of the cards of some events.
 * @param {Element} board
 * @param {import("../records.js").Event[]} events
 * @param {number} ms
 * @returns {() => void} to be called when the table has changed: lets them fly for `ms`
 */
export function flights(board, events, ms) {
  if (!ms) return () => {};
  const moves = events.flatMap((event) => FLIGHTS[event.event]?.(event) ?? []).slice(0, MOST);
  const starts = moves.map(([, from]) => place(board, from));
  const dice = events.some((event) => /rolled$/.test(event.event));
  return () => {
    const frame = board.getBoundingClientRect();
    moves.forEach(([kind, , to], i) => {
      const end = place(board, to);
      if (starts[i] && end) fly(board, kind, starts[i], end, frame, ms, i);
    });
    if (dice) roll(board, ms);
  };
}

function fly(board, kind, start, end, frame, ms, order) {
  const flying = card(kind, { class: "bl-card bl-flying" });
  const middle = (box) => [box.left + box.width / 2 - frame.left, box.top + box.height / 2 - frame.top];
  const [x0, y0] = middle(start);
  const [x1, y1] = middle(end);
  board.append(flying);
  const at = (x, y, scale) => `translate(${x}px, ${y}px) translate(-50%, -50%) scale(${scale})`;
  const frames = [
    { transform: at(x0, y0, 1), opacity: 1 },
    { transform: at((x0 + x1) / 2, (y0 + y1) / 2 - 14, 1.12), opacity: 1 },
    { transform: at(x1, y1, 1), opacity: 0.4 },
  ];
  const flight = flying.animate(frames, { duration: ms, delay: order * 25, easing: "ease-in-out", fill: "both" });
  const land = () => flying.remove();
  flight.finished.then(land, land);
}

function roll(board, ms) {
  for (const die of board.querySelectorAll(".bl-rolled .bl-die, .bl-thief .bl-die")) {
    const turn = 90 + 45 * (Number(die.dataset.die) % 4);
    die.animate([{ transform: `translateY(-10px) rotate(-${turn}deg) scale(0.8)` }, { transform: "none" }], {
      duration: ms,
      easing: "cubic-bezier(.2,.9,.3,1.2)",
    });
  }
  for (const die of board.querySelectorAll(".bl-saved .bl-die")) {
    die.animate([{ transform: "scale(1.12)" }, { transform: "none" }], { duration: ms });
  }
}
