// The scrubber and the buttons under the table.

import { curve, legend } from "./draw/curve.js";
import { h } from "./draw/dom.js";
import { SPEEDS } from "./player.js";

const BUTTONS = [
  ["first", "|«", "To the beginning (Home)"],
  ["previousTurn", "«", "Previous turn (↑)"],
  ["previous", "‹", "Previous move (←)"],
  ["play", "▶", "Play (space)"],
  ["next", "›", "Next move (→)"],
  ["nextTurn", "»", "Next turn (↓)"],
  ["last", "»|", "To the end (End)"],
];

/**
 * @param {import("./state/timeline.js").Timeline} timeline
 * @param {import("./player.js").Player} player
 * @param {Object<string, () => void>} commands
 * @param {{names: string[], moneyText: (money: number) => string, sights: string[], onsight: (seat: number|null) => void}} look
 *   `sights`: the seats whose sight can be shown
 * @returns {{element: HTMLElement, update: () => void, showSight: (seat: number|null) => void}}
 */
export function controls(timeline, player, commands, { names, moneyText, sights, onsight }) {
  const range = h("input.bl-range", {
    type: "range",
    min: 0,
    max: player.length,
    value: 0,
    "aria-label": "Move",
    oninput: () => player.go(Number(range.value)),
  });
  const head = h("i.bl-playhead");
  const scrubber = h("div.bl-scrubber", {}, curve(timeline, names, moneyText), head, range);
  const buttons = BUTTONS.map(([command, sign, title]) =>
    h(
      "button.bl-button",
      { type: "button", "aria-label": title, title, "data-command": command, onclick: commands[command] },
      sign,
    ),
  );
  const play = buttons.find((button) => button.dataset.command === "play");
  const speed = select(
    "Speed",
    SPEEDS.map((value) => [value, `${value} moves/s`]),
    player.speed,
    (value) => {
      player.speed = Number(value);
    },
  );
  const sight = select(
    "Seen by",
    [["", "all hands"], ...sights.map((name, seat) => [seat, `seat ${seat}: ${name}`])],
    "",
    (value) => onsight(value === "" ? null : Number(value)),
  );
  const count = h("output.bl-position");
  const extra = (command, sign, title) =>
    h("button.bl-button", { type: "button", title, "data-command": command, onclick: commands[command] }, sign);
  const bar = h(
    "div.bl-bar",
    {},
    h("div.bl-buttons", { role: "group", "aria-label": "Steps" }, buttons),
    count,
    h("span.bl-spring"),
    sight.label,
    speed.label,
    extra("goTo", "Go to", "Go to a move (g)"),
    extra("help", "Keys", "Keys (?)"),
  );

  function update() {
    const { at, length, playing } = player;
    range.value = at;
    range.setAttribute("aria-valuetext", `move ${at} of ${length}, turn ${timeline.turnOf[at]}`);
    head.style.left = `${length ? (100 * at) / length : 0}%`;
    count.textContent = `${at} / ${length}`;
    play.textContent = playing ? "❚❚" : "▶";
    play.setAttribute("aria-label", playing ? "Pause (space)" : "Play (space)");
    speed.select.value = player.speed;
  }

  update();
  const showSight = (seat) => (sight.select.value = seat ?? "");
  return {
    element: h("section.bl-controls", { "aria-label": "Replay" }, scrubber, legend(timeline.marks), bar),
    update,
    showSight,
  };
}

function select(title, choices, value, onchange) {
  const made = h(
    "select",
    { "aria-label": title, onchange: () => onchange(made.value) },
    choices.map(([each, words]) => h("option", { value: each, selected: each === value }, words)),
  );
  return { select: made, label: h("label.bl-select", {}, h("span", {}, title), made) };
}
