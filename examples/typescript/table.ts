/* The table of a trading game in words: kinds by name, fields, and legal actions, in place of the bytes of referee.proto. */

import type { BohnanzaView__Output as View } from "./types/beanproto/v1/BohnanzaView.js";
import type { Move } from "./types/beanproto/v1/Move.js";

/** What to do in one decision, without the numbers of match and decision. */
export type Action = Partial<Move>;

/** A bean field; the kind of an empty one is "". */
export type Field = { kind: string; count: number };

const KINDS = " cocoa garden red black_eyed soy green stink chili blue wax coffee china".split(" ");

/** The names of kinds, such as those of `view.hand`, `view.turned`, `view.offer.gives` and `view.aside[seat]`. */
export const names = (kinds: Uint8Array): string[] => Array.from(kinds, (kind) => KINDS[kind]);

/** The fields of a seat. */
export const fields = (view: View, seat: number): Field[] =>
  Array.from({ length: view.fields[seat].length / 2 }, (_, at) => ({
    kind: KINDS[view.fields[seat][2 * at]],
    count: view.fields[seat][2 * at + 1],
  }));

/** Positions of cards of these kinds in the hand, ascending; null if it lacks one. */
export function positions(hand: Uint8Array, kinds: Uint8Array): number[] | null {
  const found: number[] = [];
  for (const kind of kinds) found.push(hand.findIndex((card, at) => card === kind && !found.includes(at)));
  return found.includes(-1) ? null : found.sort((a, b) => a - b);
}

/** All legal actions of the own seat, but for offers, calls and counters, and one way to give the kinds that are wanted. */
export function legal(view: View, seat: number): Action[] {
  const own = fields(view, seat);
  const places = (kind: number) => [...own.keys()].filter((at) => !own[at].count || own[at].kind === KINDS[kind]);
  const plant: Action[] = view.hand.length ? places(view.hand[0]).map((field) => ({ plant: { field } })) : [];
  const given = (kinds: Uint8Array, act: (hand: number[]) => Action) => {
    const hand = positions(view.hand, kinds);
    return hand ? [act(hand)] : [];
  };
  const { gives = new Uint8Array(), wants = new Uint8Array() } = view.offer ?? {};
  const asked: Record<string, () => Action[]> = {
    DECISION_PLANT_FIRST: () => plant,
    DECISION_PLANT_SECOND: () => [...plant, { pass: {} }],
    DECISION_TRADE: () => [{ stop: {} }],
    DECISION_ANSWER: () => [{ decline: {} }, ...(gives.length + wants.length ? given(wants, (hand) => ({ accept: { hand } })) : [])],
    DECISION_PICK: () => [{ refuse: {} }, ...view.answers.flatMap(({ seat, answer, wants }) =>
      answer === "ANSWER_DECLINE" ? [] : given(answer === "ANSWER_ACCEPT" ? new Uint8Array() : wants, (hand) => ({ pick: { seat, hand } })))],
    DECISION_PLANT_ASIDE: () => Array.from(view.aside[seat]).flatMap((kind, card) => places(kind).map((field) => ({ plantAside: { card, field } }))),
    DECISION_INTERLUDE: () => [{ pass: {} }],
  };
  const harvests = Array.from(view.harvestable, (field) => ({ harvest: { field } }));
  return [...(asked[view.decision]?.() ?? []), ...harvests, ...(view.canBuy ? [{ buyField: {} }] : [])];
}
