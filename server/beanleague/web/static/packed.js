// Mounts the viewer on the page of a match that has its record in it, packed: <script type="text/plain" id="record">.
// Options of the viewer are in data-options of the element, as JSON.

import { mount } from "./viewer/viewer.js";

/**
 * Return the record that web/packing.py packed.
 * @param {string} text base64 of deflated JSON
 * @returns {Promise<object>} the record, as `beanleague match export` writes it
 */
export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const { shapes, ...record } = await new Response(stream).json();
  const rows = shapes.map(({ columns }) => ({ columns: columns.map(values), next: 0 }));
  const entry = (number) => {
    const { tag, name, keys } = shapes[number];
    const { columns } = rows[number];
    const row = rows[number].next++;
    return { [tag]: name, ...Object.fromEntries(keys.map((key, at) => [key, columns[at][row]])) };
  };
  return { ...record, moves: record.moves.map(entry), events: record.events.map(entry) };
}

function values(column) {
  if (typeof column === "string") return column.split(",");
  return column.lists === undefined ? column : column.lists.split(",").map((words) => (words ? words.split(" ") : []));
}

const element = document.getElementById("replay");
try {
  const record = await unpacked(document.getElementById("record").textContent);
  mount(element, record, { match: element.dataset.match, ...JSON.parse(element.dataset.options ?? "{}") });
  element.dataset.ready = "yes";
} catch (problem) {
  const line = document.createElement("p");
  line.setAttribute("role", "alert");
  line.textContent = `This replay cannot be shown: ${problem.message}`;
  element.append(line);
}
