// The table of families: the module that draws the games of each.

import * as bohnanza from "./bohnanza.js";
import * as dice from "./dice.js";
import * as duel from "./duel.js";

/**
 * Per family: `seatParts(table, seat)`, `drawSeat(parts, seat, rules)`, `middleParts(table)`, `drawMiddle(parts, names,
 * rules)` and `moneyText(money)`.
 */
export const DRAWN = { bohnanza, two: bohnanza, duel, dice };
