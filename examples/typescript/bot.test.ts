import { deepStrictEqual } from "node:assert";
import { test } from "node:test";

import { decide } from "./bot.js";
import { fields, legal, names } from "./table.js";

const FIELDS = [Uint8Array.of(9, 2, 3, 1)]; // two blue beans and a red one

function view(decision: string, hand: number[], more: object = {}): never {
  const none = new Uint8Array();
  return { decision, fields: FIELDS, hand: Uint8Array.from(hand), harvestable: none, answers: [], offer: null, ...more } as never;
}

function answer(gives: number, wants: number[]): ReturnType<typeof decide> {
  const offer = { gives: Uint8Array.of(gives), wants: Uint8Array.from(wants) };
  return decide({ bohnanza: view("DECISION_ANSWER", [3, 9], { offer }) }, 0);
}

test("a gift that grows in the own fields is accepted", () => {
  deepStrictEqual(answer(9, []), { accept: { hand: [] } });
  deepStrictEqual(answer(5, []), { defaultAction: {} });
  deepStrictEqual(answer(9, [3]), { defaultAction: {} });
});

test("all else, in any game, is left to the default action", () => {
  deepStrictEqual(decide({ bohnanza: null }, 0), { defaultAction: {} });
});

test("kinds have names, and fields a kind and a count", () => {
  deepStrictEqual(names(Uint8Array.of(9, 4)), ["blue", "black_eyed"]);
  deepStrictEqual(fields(view("DECISION_TRADE", []), 0), [{ kind: "blue", count: 2 }, { kind: "red", count: 1 }]);
});

test("legal actions plant where the kind grows, give what is wanted, and harvest what may be", () => {
  const harvestable = Uint8Array.of(0);
  deepStrictEqual(legal(view("DECISION_PLANT_SECOND", [3], { harvestable }), 0), [{ plant: { field: 1 } }, { pass: {} }, { harvest: { field: 0 } }]);
  deepStrictEqual(legal(view("DECISION_PLANT_ASIDE", [], { aside: [Uint8Array.of(5, 9)] }), 0), [{ plantAside: { card: 1, field: 0 } }]);
  const offer = { gives: Uint8Array.of(5), wants: Uint8Array.of(9, 3) };
  deepStrictEqual(legal(view("DECISION_ANSWER", [3, 5, 9], { offer }), 0), [{ decline: {} }, { accept: { hand: [0, 2] } }]);
  deepStrictEqual(legal(view("DECISION_ANSWER", [3, 5], { offer }), 0), [{ decline: {} }]);
});
