// Drawing of the dice games: dice in the middle, and each seat's harvest cards with the orders met.

import { filled } from "../orders.js";
import { smallBean } from "./cards.js";
import { h, svg } from "./dom.js";
import { bean, label, letters, tone } from "./kinds.js";

/** The data of a seat's panel. */
export function seatParts(table, seat) {
  const beans = (dice) => dice.map((die) => table.faces[die]);
  const rolled = seat === table.active && !table.thiefRoll ? [...table.saved, ...table.rolled] : table.rolled;
  return {
    top: table.tops[seat],
    bottom: table.bottoms[seat],
    completed: table.completed[seat],
    beans: beans(rolled).filter((kind) => kind !== null),
  };
}

/** The body of a seat's panel. */
export function drawSeat({ top, bottom, completed, beans }, seat, rules) {
  return [
    top === null ? h("p.bl-dim", {}, "no card") : harvestCard(top, completed, beans, seat, rules),
    bottom === null ? null : bottomCard(bottom, rules),
  ];
}

function harvestCard(number, completed, beans, seat, rules) {
  const { orders, slots, percent } = rules.deck[number];
  const earns = rules.dollars[completed] ?? 0;
  const lines = orders.map((text, i) => {
    const state = i < completed ? "done" : i === completed ? "next" : "later";
    const chance = percent[i] === undefined ? "" : `${percent[i]}%`;
    const said = chance && `, ${chance} on a first roll of all dice`;
    const words = `${text}${state === "done" ? ", completed" : state === "next" ? ", next" : ""}${said}`;
    return h(
      `li.bl-order.bl-${state}`,
      { "aria-label": words },
      h("span.bl-tick", { "aria-hidden": "true" }, state === "done" ? "✓" : i + 1),
      h("span.bl-order-slots", { "aria-hidden": "true" }, alternatives(slots[i], text, state === "next" ? beans : [])),
      h("span.bl-chance", { "aria-hidden": "true", title: "its chance on a first roll of all dice" }, chance),
      h(
        "span.bl-worth",
        { "aria-hidden": "true", title: "what the card earns with so many orders" },
        rules.dollars[i + 1] ? `$${rules.dollars[i + 1]}` : "",
      ),
    );
  });
  return h(
    "div.bl-harvest-card",
    { "data-at": `card-${seat}`, "data-card": number },
    h(
      "p.bl-small",
      {},
      `card ${number} · ${completed} of ${orders.length}`,
      earns ? h("b.bl-earns", {}, ` harvest earns $${earns}`) : null,
    ),
    h("ol.bl-orders", { reversed: true, "aria-label": "Orders, the highest first" }, lines.reverse()),
  );
}

/** The ways to meet an order, with the slots that the beans fill. */
function alternatives(ways, text, beans) {
  if (!ways.length) return text;
  return ways.map((slots, i) => {
    const full = filled(slots, beans);
    return [
      i ? h("span.bl-or", {}, "or") : null,
      slots.map((kinds, slot) =>
        h(
          `span.bl-slot${full[slot] ? ".bl-filled" : ""}`,
          { title: kinds.map(label).join(" or ") },
          kinds.map((kind) => smallBean(kind)),
        ),
      ),
    ];
  });
}

function bottomCard(number, rules) {
  const { orders, slots } = rules.deck[number];
  return h(
    "p.bl-bottom-card",
    { "data-card": number, title: orders.join("; ") },
    h("span.bl-small", {}, `below: card ${number}, first `),
    h("span.bl-sr", {}, orders[0]),
    h("span.bl-order-slots", { "aria-hidden": "true" }, alternatives(slots[0], orders[0], [])),
  );
}

/** The data of the middle of the table. */
export function middleParts(table) {
  const { faces, rolled, saved, stolen, roll, piece, deck, thiefRoll, thief } = table;
  return { faces, rolled, saved, stolen, roll, piece, deck, thiefRoll, thief };
}

/** The middle of the table. */
export function drawMiddle({ faces, rolled, saved, stolen, roll, piece, deck, thiefRoll, thief }, _names, rules) {
  const group = (title, dice, look = "") =>
    h(
      `div.bl-dice-group${look}`,
      {},
      h("span.bl-small", {}, title),
      h(
        "div.bl-dice",
        { role: "img", "aria-label": `${title}: ${dice.map((die) => label(faces[die])).join(", ") || "none"}` },
        dice.map((die) => face(faces[die], die)),
      ),
    );
  return [
    h("div.bl-deck", { role: "img", "aria-label": `deck: ${deck} cards` }, h("b", {}, deck), " in deck"),
    h(
      "div.bl-centre.bl-dice-table",
      {},
      group(roll ? `roll ${roll}` : "no roll yet", rolled, ".bl-rolled"),
      group("bean field", saved, ".bl-saved"),
      stolen.length ? group("stolen", stolen, ".bl-stolen") : null,
      thiefRoll ? thiefDice(thiefRoll) : null,
    ),
    h(
      "div.bl-deck",
      {},
      rules.thief
        ? ["Bean Thief ", h("b.bl-money", { "data-at": "money-thief" }, `$${thief}`)]
        : rules.piece
          ? piece
            ? "a roll may be repeated"
            : "bean piece used"
          : "",
    ),
  ];
}

function thiefDice({ kinds, cards }) {
  const title = cards ? "the Thief rolls for cards" : "the Thief rolls";
  return h(
    "div.bl-dice-group.bl-thief",
    {},
    h("span.bl-small", {}, title),
    h(
      "div.bl-dice",
      { role: "img", "aria-label": `${title}: ${kinds.map(label).join(", ")}` },
      kinds.map((kind) => face(kind)),
    ),
  );
}

/**
 * A die as it lies.
 * @param {string|null} kind
 * @param {number|null} die its number
 */
export function face(kind, die = null) {
  return svg(
    "svg",
    {
      class: `bl-die ${tone(kind)}`,
      viewBox: "0 0 44 44",
      "data-kind": kind,
      "data-die": die,
      "data-at": die === null ? null : `die-${die}`,
      "aria-hidden": "true",
    },
    svg("rect.bl-paper", { x: 1, y: 1, width: 42, height: 42, rx: 9 }),
    kind
      ? [
          svg("svg", { x: 10, y: 5, width: 24, height: 24, viewBox: "0 0 32 32" }, bean(kind)),
          svg("text.bl-die-letters", { x: 22, y: 39 }, letters(kind)),
        ]
      : null,
  );
}

/** A seat's money in words. */
export function moneyText(money) {
  return `$${money}`;
}
