/* A bot in TypeScript for every game: it takes gifts of kinds that it grows, and leaves the rest to the default action. */

import { credentials, loadPackageDefinition } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { join } from "node:path";

import type { ProtoGrpcType } from "./types/referee.js";
import { type Action, fields, legal, names } from "./table.js";
import type { Move } from "./types/beanproto/v1/Move.js";
import type { RefereeMessage__Output as RefereeMessage } from "./types/beanproto/v1/RefereeMessage.js";
import type { Request__Output as Request } from "./types/beanproto/v1/Request.js";

/**
 * Answer one decision. `request` has the view of its game, here that of the trading games, for which table.ts has names,
 * fields and legal actions; the comments in referee.proto say what each view shows, and which decisions there are.
 */
function decide({ bohnanza: view }: Pick<Request, "bohnanza">, seat: number): Action {
  if (view?.decision === "DECISION_ANSWER" && view.offer !== null) {
    const growing = fields(view, seat).map(({ kind }) => kind);
    const gift = view.offer.wants.length === 0 && names(view.offer.gives).every((kind) => growing.includes(kind));
    const accept = legal(view, seat).find((action) => action.accept);
    if (gift && accept) return accept;
  }
  return { defaultAction: {} };
}

const seats = new Map<number, number>(); // the own seat in each match

function main(): void {
  const definition = loadSync(join(__dirname, "referee.proto"), { enums: String, defaults: true, arrays: true, oneofs: true });
  const { Referee } = (loadPackageDefinition(definition) as unknown as ProtoGrpcType).beanproto.v1;
  const stream = new Referee(process.env.BEANLEAGUE_SOCKET!, credentials.createInsecure()).play();
  stream.on("data", (message: RefereeMessage) => {
    for (const start of message.starts) seats.set(start.match, start.seat);
    for (const fault of message.faults) console.log(`match ${fault.match}, decision ${fault.decision}: ${fault.reason}`);
    const moves: Move[] = [];
    for (const request of message.requests) {
      const { match, decision } = request;
      try {
        moves.push({ match, decision, ...decide(request, seats.get(match)!) });
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
