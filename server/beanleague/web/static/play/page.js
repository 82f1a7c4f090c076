// The page of a table: what the server sends becomes a table, and what is clicked becomes a move.

import { address } from "../viewer/address.js";
import { h } from "../viewer/draw/dom.js";
import { TableView } from "./table.js";

const element = /** @type {HTMLElement} */ (document.getElementById("table"));
const table = element.dataset.table;
/** @type {TableView|undefined} there from the first message on */
let view;

/** Send an answer; returns why it was refused, "" if it was not. */
async function play(decision, action) {
  try {
    const answer = await fetch(`${table}/move.json`, { method: "POST", body: JSON.stringify({ decision, action }) });
    return answer.ok ? "" : (await answer.json()).error;
  } catch {
    return "The server cannot be reached; try again.";
  }
}

const HEARD = {
  began(message) {
    view = new TableView(message, play);
    element.replaceChildren(view.element);
  },
  asked: (message) => view?.asked(message),
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
