// Mounts the viewer on every element of a page that names a record, by its address or as an element of the page:
// <div data-record="URL" data-options='{"match": "spring/12.0", ...}'></div>, see Options in viewer.js;
// <div data-record="#record"></div> with <script type="text/plain" id="record">, see web/viewer.py.

import { h } from "./draw/dom.js";
import { mount } from "./viewer.js";

async function fetched(address) {
  const answer = await fetch(address, { headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(`the server says ${answer.status}`);
  return answer.json();
}

/** A record inlined in the page: JSON, deflated, in base64. */
function inflated(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).json();
}

async function show(element) {
  const from = element.dataset.record;
  try {
    const record = await (from.startsWith("#") ? inflated(document.querySelector(from).textContent) : fetched(from));
    mount(element, record, JSON.parse(element.dataset.options ?? "{}"));
    element.dataset.ready = "yes";
  } catch (problem) {
    element.replaceChildren(
      ...element.querySelectorAll("h1"),
      h("p.bl-problem", { role: "alert" }, `This replay cannot be shown: ${/** @type {Error} */ (problem).message}`),
    );
  }
}

document.querySelectorAll("[data-record]").forEach(show);
