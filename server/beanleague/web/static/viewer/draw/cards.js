// Cards, alone, in rows and in piles.

import { h, svg } from "./dom.js";
import { bean, groups, heapText, label, letters, tone } from "./kinds.js";

const DRAWN = new Map(); // drawings by name, to be cloned, which is faster than <use>

function clone(name, draw) {
  if (!DRAWN.has(name)) DRAWN.set(name, draw());
  return DRAWN.get(name).cloneNode(true);
}

function face(kind) {
  return [
    svg("rect.bl-paper", { x: 0.75, y: 0.75, width: 38.5, height: 56.5, rx: 5 }),
    svg("path", { class: `bl-band ${tone(kind)}`, d: "M1 47h38v5a5 5 0 0 1-5 5H6a5 5 0 0 1-5-5z" }),
    svg("text.bl-letters", { x: 4.5, y: 13 }, letters(kind)),
    svg("svg", { x: 7, y: 16.5, width: 26, height: 26, viewBox: "0 0 32 32" }, bean(kind)),
  ];
}

function back() {
  return [
    svg("rect.bl-back", { x: 0.75, y: 0.75, width: 38.5, height: 56.5, rx: 5 }),
    svg("path.bl-back-lines", { d: "M5 24L24 5M5 36L35 6M5 48L35 18M9 53L35 27M19 53L35 37" }),
    svg("rect.bl-back-frame", { x: 4, y: 4, width: 32, height: 50, rx: 3 }),
  ];
}

/**
 * A card.
 * @param {string|null} kind null: its back
 * @param {Object<string, *>} [attributes]
 */
export function card(kind, attributes = {}) {
  const name = kind ?? "back";
  const made = clone(`card ${name}`, () =>
    svg(
      "svg.bl-card",
      { viewBox: "0 0 40 58", "data-kind": name, "aria-hidden": "true" },
      kind === null ? back() : face(kind),
    ),
  );
  for (const [key, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(key, value);
  return made;
}

/** A bean without a card, as on dice and in lines of text. */
export function smallBean(kind) {
  return clone(`bean ${kind}`, () =>
    svg("svg.bl-small-bean", { viewBox: "0 0 32 32", "aria-hidden": "true" }, bean(kind)),
  );
}

/** A kind in a line of text: its bean, its name, and how many. */
export function chip(kind, count = 1) {
  return h("span.bl-chip", {}, smallBean(kind), count > 1 ? `${count} ${label(kind)}` : label(kind));
}

/** Kinds whose order does not matter, in a line of text. */
export function heap(kinds) {
  return h(
    "span.bl-heap",
    {},
    groups(kinds).map(({ kind, count }) => chip(kind, count)),
  );
}

/**
 * Cards side by side in their order; many of them lie closer.
 * @param {(string|null)[]} kinds
 * @param {{name: string, at?: string, raised?: boolean, ghost?: boolean, pick?: (position: number) => void, picked?: number[]}} look
 *   `name`: label for screen readers. `at`: the name of their place for cards that fly. `raised`: the first stands
 *   out. `ghost`: wanted, not there. `pick`: makes the cards buttons. `picked`: positions that stand out
 */
export function row(kinds, { name, at, raised = false, ghost = false, pick, picked = [] }) {
  const words = kinds.every((kind) => kind === null) ? `${kinds.length} hidden cards` : kinds.map(label).join(", ");
  const density = kinds.length > 14 ? ".bl-dense" : kinds.length > 7 ? ".bl-close" : "";
  const look = pick
    ? { role: "group", "aria-label": name }
    : { role: "img", "aria-label": `${name}: ${words || "none"}` };
  return h(
    `div.bl-row${density}${ghost ? ".bl-ghost" : ""}${raised ? ".bl-raised" : ""}`,
    { ...look, "data-at": at },
    kinds.map((kind, i) => {
      const one = card(kind, {
        "data-at": at ? `${at}-${i}` : null,
        class: `bl-card${picked.includes(i) ? " bl-picked" : ""}`,
      });
      if (!pick) return one;
      return h(
        "button.bl-pick",
        {
          type: "button",
          "aria-label": `${label(kind)}, card ${i + 1}`,
          "aria-pressed": String(picked.includes(i)),
          onclick: () => pick(i),
        },
        one,
      );
    }),
  );
}

/**
 * A pile of cards with their number.
 * @param {{name: string, count: number, top?: string|null, at: string}} pile `top`: the kind of its top card; null: its back
 */
export function pile({ name, count, top = null, at }) {
  return h(
    "div.bl-pile",
    { "data-at": at, role: "img", "aria-label": `${name}: ${count}` },
    h(`div.bl-stack.bl-deep-${Math.min(3, Math.ceil(count / 12))}`, {}, count ? card(top) : h("span.bl-empty")),
    h("span.bl-caption", { "aria-hidden": "true" }, h("b", {}, count), ` ${name}`),
  );
}

/** Discards by kind: a line for each. */
export function byKind(kinds) {
  if (!kinds.length) return h("p.bl-dim", {}, "none");
  return h(
    "ul.bl-by-kind",
    { "aria-label": heapText(kinds) },
    groups(kinds)
      .toSorted((a, b) => b.count - a.count)
      .map(({ kind, count }) => h("li", {}, chip(kind), h("b", {}, count))),
  );
}
