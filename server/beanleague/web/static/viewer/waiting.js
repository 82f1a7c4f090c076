// Slow requests to a server, which reports the place in its queue until the result.

const LEAST_MS = 3000; // after which the time left is estimated

/**
 * Ask a server, and wait for its answer.
 * @param {string} address answers with lines: `{"ahead": n, "done": n, "total": n}`, at last `{"found": ...}` or `{"problem": text}`
 * @param {(text: string) => void} waits called with the text to show while waiting, at each change
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
  let began = 0; // time at which its turn came
  for (;;) {
    const { done, value = "" } = await reader.read();
    const lines = (left + value).split("\n");
    left = done ? "" : (lines.pop() ?? "");
    for (const line of lines.filter(Boolean)) {
      const said = JSON.parse(line);
      if (said.problem) throw new Error(said.problem);
      if (said.found) return said.found;
      if (!said.ahead) began ||= performance.now();
      if (line !== last) waits(waitText(said.ahead, said.done, said.total, performance.now() - began));
      last = line;
    }
    if (done) throw new Error("The server has not answered. Try again.");
  }
}

/**
 * The text shown while waiting.
 * @param {number} [ahead] place in the queue, 0 while running
 * @param {number} [done] number of finished matches or decisions
 * @param {number} [total] their number
 * @param {number} [ms] time since its turn came
 */
export function waitText(ahead = 0, done = 0, total = 0, ms = 0) {
  if (ahead) return `It waits in a queue, in place ${ahead}.`;
  if (!done) return "It is being worked on.";
  const left = Math.ceil((ms * (total - done)) / done / 1000);
  return `${Math.floor((100 * done) / total)} % done${ms >= LEAST_MS ? `, about ${left} s left` : ""}.`;
}
