// Asking a server for what takes a while: it says the place in a queue until it has found something.

/**
 * Ask a server, and wait for its answer.
 * @param {string} address answers with lines: `{"ahead": n, "done": n}`, at last `{"found": ...}` or `{"problem": text}`
 * @param {(ahead: number, done: number) => void} waits called when one is new: with the place in its queue, 0: it is under
 *   way; and with the number of matches of a report that are done
 * @returns {Promise<any>} what was found
 * @throws {Error} if nothing can be found; its message is for people
 */
export async function waitFor(address, waits) {
  const answer = await fetch(address, { method: "POST", headers: { accept: "application/json" } });
  if (!answer.ok || !answer.body) {
    const said = await answer.json().catch(() => ({}));
    throw new Error(said.error ?? `The server says ${answer.status}.`);
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let left = "";
  let last = "";
  for (;;) {
    const { done, value = "" } = await reader.read();
    const lines = (left + value).split("\n");
    left = done ? "" : (lines.pop() ?? "");
    for (const line of lines.filter(Boolean)) {
      const said = JSON.parse(line);
      if (said.problem) throw new Error(said.problem);
      if (said.found) return said.found;
      if (line !== last) waits(said.ahead, said.done ?? 0);
      last = line;
    }
    if (done) throw new Error("The server has not answered. Try again.");
  }
}

/** What is shown while somebody waits. */
export function waitText(ahead) {
  return ahead ? `It waits in a queue, in place ${ahead}.` : "It is being worked on; that takes some seconds.";
}
