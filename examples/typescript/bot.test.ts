import { deepStrictEqual } from "node:assert";
import { test } from "node:test";

import { decide } from "./bot.js";

const FIELDS = [Uint8Array.of(9, 2, 3, 1)]; // two blue beans and a red one

function answer(gives: number, wants: number[]): ReturnType<typeof decide> {
  const offer = { gives: Uint8Array.of(gives), wants: Uint8Array.from(wants) };
  return decide({ bohnanza: { decision: "DECISION_ANSWER", fields: FIELDS, offer } as never }, 0);
}

test("a gift that grows in the own fields is accepted", () => {
  deepStrictEqual(answer(9, []), { accept: {} });
  deepStrictEqual(answer(5, []), { defaultAction: {} });
  deepStrictEqual(answer(9, [3]), { defaultAction: {} });
});

test("all else, in any game, is left to the default action", () => {
  deepStrictEqual(decide({ bohnanza: null }, 0), { defaultAction: {} });
});
