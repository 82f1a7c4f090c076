// Draws the cards and beans of a game's page like the viewer. Without this script the page shows their names.

import { card, smallBean } from "./viewer/draw/cards.js";

/** @param {(kind: string) => Node} draw */
function drawAll(name, draw) {
  /** @type {NodeListOf<HTMLElement>} */
  const places = document.querySelectorAll(`[data-${name}]`);
  for (const place of places) place.replaceChildren(draw(place.dataset[name] ?? ""));
}

drawAll("card", card);
drawAll("bean", smallBean);
