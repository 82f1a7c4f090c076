// Mounts the viewer on every element of a page that names a record:
// <div data-record="URL" data-options='{"match": "spring/12.0", ...}'></div>, see Options in viewer.js.

import { h } from "./draw/dom.js";
import { mount } from "./viewer.js";

async function show(element) {
  try {
    const answer = await fetch(element.dataset.record, { headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(`the server says ${answer.status}`);
    mount(element, await answer.json(), JSON.parse(element.dataset.options ?? "{}"));
    element.dataset.ready = "yes";
  } catch (problem) {
    element.replaceChildren(h("p.bl-problem", { role: "alert" }, `This replay cannot be shown: ${problem.message}`));
  }
}

document.querySelectorAll("[data-record]").forEach(show);
