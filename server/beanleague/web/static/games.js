// Draws the cards and beans of a game's page, as the viewer draws them. Without it their names are there.

import { card, smallBean } from "./viewer/draw/cards.js";

for (const place of document.querySelectorAll("[data-card]")) place.replaceChildren(card(place.dataset.card));
for (const place of document.querySelectorAll("[data-bean]")) place.replaceChildren(smallBean(place.dataset.bean));
