/* A bot in TypeScript: it plants what fits, takes gifts, and offers what it turned over and cannot use. */

import { credentials, loadPackageDefinition } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { join } from "node:path";

import type { ProtoGrpcType } from "./types/referee.js";
import type { BohnanzaView__Output as View } from "./types/beanproto/v1/BohnanzaView.js";
import type { Move } from "./types/beanproto/v1/Move.js";
import type { RefereeMessage__Output as RefereeMessage } from "./types/beanproto/v1/RefereeMessage.js";

/** A field: the kind of its beans, 0 if it is empty, and how many there are. */
type Field = { kind: number; count: number };

/** What to do in one decision, without the numbers of match and decision. */
type Action = Partial<Move>;

const seats = new Map<number, number>(); // the own seat in each match

/** Answer one decision. The comments in referee.proto say which actions each may have. */
function decide(view: View, seat: number): Action {
  const fields = fieldsOf(view, seat);
  switch (view.decision) {
    case "DECISION_PLANT_FIRST":
      return plant(view, fields, view.hand[0], (field) => ({ plant: { field } }));
    case "DECISION_PLANT_SECOND": {
      const field = fields.findIndex(({ kind }) => kind === view.hand[0]);
      return field < 0 ? { pass: {} } : { plant: { field } };
    }
    case "DECISION_PLANT_ASIDE": {
      const aside = view.aside[seat] ?? new Uint8Array();
      return plant(view, fields, aside[0], (field) => ({ plantAside: { card: 0, field } }));
    }
    case "DECISION_TRADE":
      return { stop: {} };
    case "DECISION_ANSWER": {
      const offer = view.offer;
      const growing = new Set(fields.map(({ kind }) => kind));
      const gift = offer !== null && offer.gives.length > 0 && offer.wants.length === 0;
      return gift && [...offer.gives].every((kind) => growing.has(kind)) ? { accept: {} } : { decline: {} };
    }
    case "DECISION_PICK":
      return { refuse: {} };
    default:
      return { pass: {} };
  }
}

/** Plant a card where its kind grows, else in an empty field, else harvest the field with the fewest beans. */
function plant(view: View, fields: Field[], card: number, action: (field: number) => Action): Action {
  const growing = fields.findIndex(({ kind }) => kind === card);
  const place = growing < 0 ? fields.findIndex(({ count }) => count === 0) : growing;
  if (place >= 0) return action(place);
  const few = [...view.harvestable].sort((one, other) => fields[one].count - fields[other].count);
  return { harvest: { field: few[0] } };
}

/** The fields of a seat: the referee sends kind and count of each as two bytes. */
function fieldsOf(view: View, seat: number): Field[] {
  const bytes = view.fields[seat];
  return Array.from({ length: bytes.length / 2 }, (_, field) => ({ kind: bytes[2 * field], count: bytes[2 * field + 1] }));
}

function main(): void {
  const definition = loadSync(join(__dirname, "referee.proto"), { enums: String, defaults: true, arrays: true, oneofs: true });
  const { Referee } = (loadPackageDefinition(definition) as unknown as ProtoGrpcType).beanproto.v1;
  const stream = new Referee(process.env.BEANLEAGUE_SOCKET!, credentials.createInsecure()).play();
  stream.on("data", (message: RefereeMessage) => {
    for (const start of message.starts) seats.set(start.match, start.seat);
    for (const fault of message.faults) console.log(`match ${fault.match}, decision ${fault.decision}: ${fault.reason}`);
    const moves: Move[] = [];
    for (const { match, decision, bohnanza } of message.requests) {
      try {
        moves.push({ match, decision, ...decide(bohnanza!, seats.get(match)!) });
      } catch (error) {
        console.log(error);
        moves.push({ match, decision, error: String(error) });
      }
    }
    if (moves.length) stream.write({ moves });
    for (const { match } of message.ends) seats.delete(match);
  });
  stream.on("error", (error: Error) => console.log(error.message));
  stream.on("end", () => stream.end());
  console.log("ready");
  stream.write({ hello: { sdk: `node ${process.version}`, protocol: 2 } });
}

if (require.main === module) main();

export { decide };
