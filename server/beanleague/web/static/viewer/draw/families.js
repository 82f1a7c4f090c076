// The table of families: the module that draws the games of each.

import * as bohnanza from "./bohnanza.js";
import * as dice from "./dice.js";
import { h } from "./dom.js";
import * as duel from "./duel.js";

/**
 * @import { Family } from "../records.js"
 *
 * @typedef {object} Drawing drawing functions of a family. The data of a drawing are selected first; while they are
 *   unchanged, nothing is redrawn.
 * @property {(table: any, seat: number) => object} seatParts the data of a seat's panel
 * @property {(parts: any, seat: number, rules: any) => any[]} drawSeat
 * @property {(table: any) => object} middleParts the data of the middle of the table
 * @property {(parts: any, names: string[], rules: any) => any[]} drawMiddle
 * @property {(money: number) => string} moneyText
 */

/** Drawing of an unknown game, from its common events. @type {Drawing} */
const plain = {
  ...bohnanza,
  drawMiddle: ({ turned, turn }) => [h("div.bl-centre", {}, bohnanza.turnedOver(turned, "turned over", turn))],
};

/** @type {{[Name in Family|"plain"]: Drawing}} */
export const DRAWN = { bohnanza, two: bohnanza, duel, dice, plain };
