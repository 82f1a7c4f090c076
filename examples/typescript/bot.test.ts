import { deepStrictEqual } from "node:assert";
import { test } from "node:test";

import { decide } from "./bot.js";

const FIELDS = [Uint8Array.of(9, 2, 3, 1)]; // two blue beans and a red one
const HAND = Uint8Array.of(3, 9);

function view(more: object): Parameters<typeof decide>[0] {
  return { fields: FIELDS, hand: HAND, harvestable: Uint8Array.of(0, 1), aside: [], offer: null, ...more } as never;
}

test("a card goes where its kind grows", () => {
  deepStrictEqual(decide(view({ decision: "DECISION_PLANT_FIRST" }), 0), { plant: { field: 1 } });
});

test("the field with the fewest beans is harvested for one that fits nowhere", () => {
  const decision = view({ decision: "DECISION_PLANT_FIRST", hand: Uint8Array.of(5) });
  deepStrictEqual(decide(decision, 0), { harvest: { field: 1 } });
});

test("a gift that grows in the own fields is accepted", () => {
  const gift = { gives: Uint8Array.of(9), wants: new Uint8Array() };
  deepStrictEqual(decide(view({ decision: "DECISION_ANSWER", offer: gift }), 0), { accept: {} });
  const trade = { gives: Uint8Array.of(9), wants: Uint8Array.of(3) };
  deepStrictEqual(decide(view({ decision: "DECISION_ANSWER", offer: trade }), 0), { decline: {} });
});
