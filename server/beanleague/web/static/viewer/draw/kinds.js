// Looks of the bean kinds: each has a colour, letters and a shape of its own.

import { svg } from "./dom.js";

const path = (d, attributes = {}) => ["path", { d, ...attributes }];
const oval = (cx, cy, rx, ry, turn = 0) => [
  "ellipse",
  { cx, cy, rx, ry, transform: turn ? `rotate(${turn} ${cx} ${cy})` : null },
];
const line = (d) => ["path", { d, class: "bl-line" }];
const eye = (cx, cy, r) => ["circle", { cx, cy, r, class: "bl-eye" }];

/** Letters and shape (in a square of 32) of each kind. The colours are in viewer.css, `--bean-KIND`. */
const LOOKS = {
  cocoa: ["Co", [oval(16, 16, 9, 13, 20), line("M12 5Q9 16 15 27M20 4Q23 16 19 27")]],
  garden: ["Ga", [oval(8, 22, 6, 6), oval(16, 16, 6.5, 6.5), oval(24, 10, 6, 6)]],
  red: ["Re", [path("M11 4C4 5 2 13 4 20c2 7 11 10 17 7 5-2 5-8 1-9-4-2-5-4-2-7 3-4 0-9-9-7z")]],
  black_eyed: ["Be", [oval(16, 16, 13, 9.5, -25), eye(20, 14.5, 4)]],
  soy: ["So", [oval(11, 20, 8, 8), oval(21, 12, 8, 8)]],
  green: [
    "Gr",
    [path("M4 24C2 20 8 10 17 6c6-3 12-2 11 1-1 2-5 2-9 5-6 4-8 8-10 11-2 3-4 3-5 1z"), line("M9 20q5-8 13-11")],
  ],
  stink: ["St", [oval(10, 20, 7.5, 7.5), oval(22, 20, 7.5, 7.5), oval(16, 10.5, 7.5, 7.5)]],
  chili: ["Ch", [path("M21 8c5 3 5 13-3 18-5 3-12 3-14 1 7 0 10-4 11-9 1-6 2-9 6-10z"), line("M21 8q1-4 5-5")]],
  blue: ["Bl", [path("M21 3C10 2 3 9 4 17s8 13 16 11c3-1 4-3 1-4-6-1-9-5-9-9s4-8 9-9c3-1 3-3 0-3z")]],
  wax: [
    "Wa",
    [["rect", { x: 5, y: 9, width: 22, height: 14, rx: 6, transform: "rotate(-32 16 16)" }], line("M10 20L22 12")],
  ],
  coffee: ["Cf", [oval(16, 16, 9.5, 13, 35), line("M23 6c-1 6-6 6-7 10s-5 5-7 10")]],
  china: ["Cn", [path("M16 2.5l4 8.6 9.3 1.1-6.9 6.4 1.9 9.2-8.3-4.6-8.3 4.6 1.9-9.2-6.9-6.4 9.3-1.1z")]],
};
const UNKNOWN = ["?", [oval(16, 16, 10, 10)]];

/** The name of a kind for people: "black-eyed". */
export function label(kind) {
  return String(kind ?? "hidden card").replaceAll("_", "-");
}

/** The letters of a kind. */
export function letters(kind) {
  return (Object.hasOwn(LOOKS, kind) ? LOOKS[kind] : UNKNOWN)[0];
}

/** The bean of a kind, in a square of 32. */
export function bean(kind) {
  const shapes = (Object.hasOwn(LOOKS, kind) ? LOOKS[kind] : UNKNOWN)[1];
  return svg(
    "g",
    { class: `bl-bean ${tone(kind)}` },
    shapes.map(([tag, attributes]) => svg(tag, attributes)),
  );
}

/** The class that gives an element the colour of a kind, as `--tone`. */
export function tone(kind) {
  return Object.hasOwn(LOOKS, kind) ? `bl-tone-${kind}` : "bl-tone-unknown";
}

/** Kinds in words, equal ones together: "2 blue, soy". */
export function heapText(kinds) {
  return groups(kinds)
    .map(({ kind, count }) => (count > 1 ? `${count} ${label(kind)}` : label(kind)))
    .join(", ");
}

/** Equal kinds together, in the order in which they come first: `[{kind, count}]`. */
export function groups(kinds) {
  const counts = new Map();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => ({ kind, count }));
}
