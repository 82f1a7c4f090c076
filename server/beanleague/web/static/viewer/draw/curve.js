// Money over the match: a curve for each seat, with ticks for turns, trades, harvests and faults.

import { h, svg } from "./dom.js";

const WIDTH = 1000;
const HEIGHT = 90;
const TICKS = 22; // of the height, below the curves

/**
 * @param {import("../state/timeline.js").Timeline} timeline
 * @param {string[]} names of those with money, the Thief too
 * @param {(money: number) => string} text
 * @returns {SVGElement} as wide as its place; the curve is a picture, the range above it is the control
 */
export function curve(timeline, names, text) {
  const { money, length, turns, marks } = timeline;
  const last = money[length];
  const most = Math.max(1, ...money.map((each) => Math.max(...each)));
  const x = (at) => (length ? (at / length) * WIDTH : 0);
  const y = (amount) => (HEIGHT - TICKS) * (1 - amount / most) + 3;
  const about = `Money over the match. At the end: ${names.map((name, i) => `${name} ${text(last[i])}`).join(", ")}`;
  return svg(
    "svg",
    {
      class: "bl-curve",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": about,
    },
    svg("path.bl-turn-ticks", { d: ticks(turns, x, HEIGHT - TICKS + 5, HEIGHT) }),
    names.map((_, seat) => svg("path", { class: `bl-curve-line bl-line-${seat}`, d: steps(money, seat, x, y) })),
    dots(marks.trade, "bl-trade-ticks", x, HEIGHT - TICKS + 5, HEIGHT - 13),
    dots(marks.harvest, "bl-harvest-ticks", x, HEIGHT - 12, HEIGHT - 6),
    dots(marks.fault, "bl-fault-ticks", x, HEIGHT - 5, HEIGHT),
  );
}

function steps(money, seat, x, y) {
  let before = money[0][seat];
  const parts = [`M0 ${round(y(before))}`];
  money.forEach((each, at) => {
    if (each[seat] === before) return;
    before = each[seat];
    parts.push(`H${round(x(at))}V${round(y(before))}`);
  });
  return `${parts.join("")}H${WIDTH}`;
}

function ticks(positions, x, from, to) {
  return positions.map((at) => `M${round(x(at))} ${from}V${to}`).join("");
}

function dots(marks, look, x, from, to) {
  return marks.length
    ? svg("path", {
        class: look,
        d: ticks(
          marks.map((mark) => mark.at),
          x,
          from,
          to,
        ),
      })
    : null;
}

function round(number) {
  return Math.round(number * 10) / 10;
}

/** The legend of colours and ticks. */
export function legend(marks) {
  const entry = (look, what) => h("span.bl-legend", {}, h(`i.${look}`), what);
  return h(
    "p.bl-legends",
    {},
    entry("bl-key-turn", "turn"),
    marks.trade.length ? entry("bl-key-trade", "trade") : null,
    marks.harvest.length ? entry("bl-key-harvest", "harvest") : null,
    marks.fault.length ? entry("bl-key-fault", "fault") : null,
  );
}
