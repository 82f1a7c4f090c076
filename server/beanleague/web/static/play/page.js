// The page of a table: shows the server's messages as a table, and sends clicks as moves.

import { address } from "../viewer/address.js";
import { h } from "../viewer/draw/dom.js";
import { TableView } from "./table.js";

const element = /** @type {HTMLElement} */ (document.getElementById("table"));
const table = element.dataset.table;
/** @type {TableView|undefined} set by the first message */
let view;

/** Send a message to the table; returns the reason of a refusal, else "". */
async function send(what, message) {
  try {
    const answer = await fetch(`${table}/${what}.json`, { method: "POST", body: JSON.stringify(message) });
    return answer.ok ? "" : (await answer.json()).error;
  } catch {
    return "The server cannot be reached; try again.";
  }
}

const HEARD = {
  began(message) {
    const declines = element.dataset.declines !== undefined;
    view = new TableView(message, { declines }, send);
    element.replaceChildren(view.element);
  },
  asked: (message) => view?.asked(message),
  happened: (message) => view?.happened(message),
  fault: (message) =>
    view?.note(
      `${message.reason}. A simple action was played instead.${message.forfeited ? " You have forfeited." : ""}`,
    ),
  ended: (message) => view?.ended(message),
  over() {
    source.close();
    view?.over(`${table}/replay`, /** @type {HTMLElement} */ (document.querySelector("form.again")));
  },
  closed(message) {
    source.close();
    element.append(
      h("p.problem", { role: "alert" }, message.why, " ", h("a", { href: address("/play") }, "Choose another table")),
    );
  },
};

const source = new EventSource(`${table}/events`);
source.onmessage = (event) => {
  const message = JSON.parse(event.data);
  HEARD[message.type](message);
};
