// The table of families: the module that draws the games of each.

import * as bohnanza from "./bohnanza.js";
import * as dice from "./dice.js";
import { h } from "./dom.js";
import * as duel from "./duel.js";

/**
 * @import { Family } from "../records.js"
 *
 * @typedef {object} Drawing how a game is drawn. What is to be drawn of a table is chosen first; while it stays the same,
 *   nothing is drawn anew.
 * @property {(table: any, seat: number) => object} seatParts what the panel of a seat shows
 * @property {(parts: any, seat: number, rules: any) => any[]} drawSeat
 * @property {(table: any) => object} middleParts what the middle of the table shows
 * @property {(parts: any, names: string[], rules: any) => any[]} drawMiddle
 * @property {(money: number) => string} moneyText
 */

/** A game that is not drawn: what can be known of it. @type {Drawing} */
const plain = {
  ...bohnanza,
  drawMiddle: ({ turned, turn }) => [h("div.bl-centre", {}, bohnanza.turnedOver(turned, "turned over", turn))],
};

/** @type {{[Name in Family|"plain"]: Drawing}} */
export const DRAWN = { bohnanza, two: bohnanza, duel, dice, plain };
