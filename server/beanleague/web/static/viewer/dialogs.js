// Dialogs: help on keys, and going to a move.

import { h } from "./draw/dom.js";
import { KEYS } from "./keys.js";

/** The help. @returns {HTMLDialogElement} */
export function helpDialog() {
  const rows = KEYS.map(({ shown, about }) => h("div", {}, h("dt", {}, h("kbd", {}, shown)), h("dd", {}, about)));
  return dialog("Keys", h("dl.bl-keys", {}, rows));
}

/**
 * Asks for the number of a move.
 * @param {number} length
 * @param {(at: number) => void} go
 * @returns {HTMLDialogElement}
 */
export function goToDialog(length, go) {
  const number = h("input", {
    type: "number",
    min: 0,
    max: length,
    required: true,
    inputmode: "numeric",
    autofocus: true,
  });
  const form = h(
    "form",
    { method: "dialog" },
    h("label.bl-go", {}, `Move, 0 to ${length}`, number),
    h("button.bl-button", {}, "Go"),
  );
  form.addEventListener("submit", () => {
    go(Number(number.value));
    number.value = "";
  });
  return dialog("Go to a move", form);
}

function dialog(title, content) {
  const close = h("button.bl-button.bl-x", { type: "button", "aria-label": "Close" }, "×");
  const made = h("dialog.bl-dialog", { "aria-label": title }, h("header", {}, h("h2", {}, title), close), content);
  close.addEventListener("click", () => made.close());
  made.addEventListener("click", (event) => event.target === made && made.close()); // a click outside
  return made;
}
