// Slow requests to a server, which reports the place in its queue until the result.

/**
 * Ask a server, and wait for its answer.
 * @param {string} address answers with lines: `{"ahead": n, "done": n}`, at last `{"found": ...}` or `{"problem": text}`
 * @param {(ahead: number, done: number) => void} waits called at each change: with the place in the queue, 0
 *   while running; and with the number of matches of a report that are done
 * @returns {Promise<any>} the result
 * @throws {Error} if there is no result; its message is for people
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

/** The text shown while waiting. */
export function waitText(ahead) {
  return ahead ? `It waits in a queue, in place ${ahead}.` : "It is being worked on; that takes some seconds.";
}
