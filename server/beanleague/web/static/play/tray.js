// Trays for composing offers, counters, and dice to save.

import { chip, row } from "../viewer/draw/cards.js";
import { face } from "../viewer/draw/dice.js";
import { h } from "../viewer/draw/dom.js";
import { groups, heapText, label } from "../viewer/draw/kinds.js";

const MOST = 8; // cards of a side

const flip = (list, entry) =>
  list.includes(entry) ? list.filter((each) => each !== entry) : [...list, entry].sort((a, b) => a - b);

/**
 * The tray of an offer, or of a counter.
 * @param {{table: import("../viewer/state/bohnanza.js").BohnanzaState, seat: number, names: string[],
 *   rules: import("../viewer/rules.js").CardRules}} at
 * @param {boolean} counter whether it answers an offer
 * @param {(action: object) => void} play
 */
export function tradeTray({ table, seat, names, rules }, counter, play) {
  const others = names.map((_, other) => other).filter((other) => other !== seat);
  const state = { hand: [], turned: [], wants: [], to: others };
  const element = h("div.play-tray", { role: "group", "aria-label": counter ? "Your counter-offer" : "Your offer" });
  const change = (changed) => {
    const focused = element.contains(document.activeElement)
      ? [...element.querySelectorAll("button")].indexOf(document.activeElement)
      : -1;
    Object.assign(state, changed);
    draw();
    if (focused >= 0) element.querySelectorAll("button")[focused]?.focus();
  };

  function draw() {
    const { hand, turned, wants, to } = state;
    const open = table.turned.length
      ? row(table.turned, {
          name: "Turned-over cards",
          pick: (i) => change({ turned: flip(turned, i) }),
          picked: turned,
        })
      : null;
    const own = row(table.hands[seat], {
      name: "Your hand",
      pick: (i) => change({ hand: flip(hand, i) }),
      picked: hand,
    });
    own.classList.add("play-hand");
    const gives = [...(counter ? [] : turned.map((i) => table.turned[i])), ...hand.map((i) => table.hands[seat][i])];
    const gets = [...(counter ? turned.map((i) => table.turned[i]) : []), ...wants];
    const kinds = h(
      "div.play-kinds",
      {},
      rules.kinds.map((kind) =>
        h(
          "button.plain",
          {
            type: "button",
            "aria-label": `Want ${label(kind)}${counted(wants, kind)}`,
            onclick: () => change({ wants: [...wants, kind] }),
          },
          chip(kind),
          h("b.play-wanted", { "aria-hidden": "true" }, wants.filter((wanted) => wanted === kind).length || ""),
        ),
      ),
    );
    const wanted = groups(wants).map(({ kind, count }) =>
      h(
        "button.plain",
        {
          type: "button",
          "aria-label": `Want one ${label(kind)} less`,
          onclick: () => change({ wants: without(wants, kind) }),
        },
        chip(kind, count),
        " ✕",
      ),
    );
    const fits = gives.length <= MOST && gets.length <= MOST && gives.length + gets.length > 0 && to.length > 0;
    const action = counter ? { action: "counter", hand, turned, wants } : { action: "offer", to, turned, hand, wants };
    element.replaceChildren(
      h("div.play-side", {}, h("h3", {}, "You give"), counter ? null : open, own),
      h(
        "div.play-side",
        {},
        h("h3", {}, "You want"),
        counter ? open : null,
        kinds,
        h("div.play-kinds.play-less", {}, wanted), // below, so that a second click meets the same kind
      ),
      h(
        "div.play-side",
        {},
        counter || others.length < 2
          ? null
          : [
              h("h3", {}, "To"),
              h(
                "div.play-kinds",
                {},
                others.map((other) =>
                  h(
                    "button.plain",
                    {
                      type: "button",
                      "aria-pressed": String(to.includes(other)),
                      onclick: () => change({ to: flip(to, other) }),
                    },
                    h("bdi", {}, names[other]),
                  ),
                ),
              ),
            ],
        h("p.play-sum", {}, `${heapText(gives) || "nothing"} for ${heapText(gets) || "nothing"}`),
        h(
          "button.play-do",
          { type: "button", disabled: !fits, onclick: () => play(action) },
          counter ? "Counter" : "Offer",
        ),
      ),
    );
  }
  draw();
  return element;
}

function counted(wants, kind) {
  const count = wants.filter((wanted) => wanted === kind).length;
  return count ? `, ${count} so far` : "";
}

function without(list, entry) {
  const at = list.indexOf(entry);
  return list.filter((_, i) => i !== at);
}

/** The tray for picking dice to save among those just rolled. */
export function diceTray({ table }, legal, play) {
  let picked = [];
  const element = h("div.play-tray", { role: "group", "aria-label": "Dice to save" });
  function draw(focus = -1) {
    const action = legal.find((one) => String(one.dice) === String(picked));
    element.replaceChildren(
      h(
        "div.play-dice",
        {},
        table.rolled.map((die, i) =>
          h(
            "button.bl-pick",
            {
              type: "button",
              "aria-pressed": String(picked.includes(die)),
              "aria-label": `${label(table.faces[die])}, die ${die + 1}`,
              class: `bl-pick${picked.includes(die) ? " bl-picked" : ""}`,
              onclick: () => {
                picked = flip(picked, die);
                draw(i);
              },
            },
            face(table.faces[die]),
          ),
        ),
      ),
      h("button.play-do", { type: "button", disabled: !action, onclick: () => play(action) }, "Save the chosen dice"),
    );
    element.querySelectorAll("button")[focus]?.focus();
  }
  draw();
  return element;
}
