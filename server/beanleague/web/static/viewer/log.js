// The moves of a turn, and the decision behind the shown one.

import { heap } from "./draw/cards.js";
import { fill, h } from "./draw/dom.js";
import { heapText } from "./draw/kinds.js";
import { waitFor, waitText } from "./waiting.js";

const NOT_REPRODUCED = "The rules do not reproduce this match. Its events are shown, but not what was asked.";
const OTHERS = "What would others do here?";
const STRETCH = 20; // moves; long turns are listed in stretches of twice as many, which are fast to draw

/** A line as nodes. */
export function asNodes(parts, names) {
  return parts.map((part) => {
    if (typeof part === "string") return part;
    if (part.kinds) return heap(part.kinds);
    if (part.money) return h("b.bl-earns", {}, part.money);
    return h("bdi.bl-who", {}, names[part.seat] ?? "");
  });
}

/** A sentence as text. */
export function asText(parts, names) {
  return parts
    .map((part) => {
      if (typeof part === "string") return part;
      if (part.kinds) return heapText(part.kinds);
      return part.money ?? names[part.seat] ?? "";
    })
    .join("");
}

/** The lines of a position: the events since the previous one. */
export function linesAt(timeline, at) {
  const fault = timeline.faults.get(at);
  const lines = timeline.words.linesOf(timeline.firstEvent(at), timeline.events(at));
  return fault ? [timeline.words.fault(fault), ...lines] : lines;
}

/** The text of a position, for screen readers. */
export function textAt(timeline, at, names) {
  const lines = linesAt(timeline, at).map((line) => asText(line, names));
  return `Move ${at}. ${lines.join(". ") || "Nothing to be seen yet."}`;
}

/** Links to the moves of the shown turn; in a long turn to those around the shown move. */
export class TurnLog {
  constructor(timeline, names, go) {
    this.timeline = timeline;
    this.names = names;
    this.go = go;
    this.title = h("h2.bl-turn-title");
    this.list = h("ol.bl-log", { tabindex: 0, "aria-label": "Moves of this turn" });
    this.element = h("section.bl-turn", { "aria-label": "This turn" }, this.title, this.list);
  }

  show(at) {
    const { timeline } = this;
    const [begin, end] = timeline.turnAround(at);
    const turn = timeline.turnOf[at];
    const first = Math.max(begin, at - ((at - begin) % STRETCH) - STRETCH / 2);
    const last = Math.min(end, first + 2 * STRETCH);
    const anew = fill(this.list, [first, last, timeline.seat], () => {
      const items = [];
      for (let position = first; position <= last; position++) items.push(this.item(position));
      return items;
    });
    if (anew) this.title.textContent = turn ? `Turn ${turn}` : "Before the first turn";
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = this.list.querySelector(`[data-position="${at}"]`);
    current?.setAttribute("aria-current", "step");
    if (current) scrollInto(this.list, current);
  }

  item(position) {
    const lines = linesAt(this.timeline, position);
    const fault = this.timeline.faults.has(position);
    const words = lines.length
      ? lines.map((line, i) => h(fault && !i ? "span.bl-faulty" : "span", {}, asNodes(line, this.names)))
      : h("span.bl-dim", {}, this.waiting(position));
    const follow = (event) => {
      event.preventDefault();
      this.go(position);
    };
    return h(
      "li",
      {},
      h(
        "a.bl-entry",
        { href: `#move=${position}`, "data-position": position, onclick: follow },
        h("span.bl-number", {}, position),
        h("span.bl-words", {}, words),
      ),
    );
  }

  waiting(position) {
    const move = this.timeline.answer(position)?.move;
    if (!move) return "the cards are dealt";
    const name = this.names[move.seat];
    if (this.timeline.seat !== null && this.timeline.seat !== move.seat) return "nothing to be seen";
    return move.action === "pass" ? `${name} passes` : `${name} answers, face down`;
  }
}

/** Scroll a list, and only the list, to make an entry visible. */
function scrollInto(list, entry) {
  const above = entry.offsetTop; // the list is positioned
  if (above < list.scrollTop || above + entry.offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = above - list.clientHeight / 3;
  }
}

/** The question, the answering seat, its time; on demand the legal actions and the bot's log. */
export class DecisionBox {
  constructor(timeline, names, options) {
    this.timeline = timeline;
    this.names = names;
    this.options = options;
    this.asked = new Map(); // answers of bots by position
    this.element = h("section.bl-decision", { "aria-label": "Decision" });
  }

  show(at) {
    fill(this.element, [at, this.timeline.seat], () => {
      if (!this.timeline.byMove) return h("p.bl-dim", {}, NOT_REPRODUCED);
      return at ? this.draw(at) : h("p.bl-dim", {}, "The cards are dealt.");
    });
  }

  draw(at) {
    const { timeline, names } = this;
    const { record } = timeline;
    const { move, decision } = timeline.answer(at);
    const ms = record.ms?.[at - 1];
    const own = timeline.seat === null || timeline.seat === move.seat;
    const who = [
      h(`span.bl-mark.bl-seat-${move.seat}`, { "aria-hidden": "true" }, move.seat),
      " ",
      h("bdi.bl-who", {}, names[move.seat]),
    ];
    if (!own) return h("p.bl-asked", {}, who, " was asked something that this seat does not see.");
    return [
      h("p.bl-asked", {}, who, " was asked: ", timeline.words.question(decision)),
      h(
        "p.bl-answer",
        {},
        h("b", {}, asNodes(timeline.words.move(at - 1, move, timeline.events(at)[0]), names)),
        move.default ? h("span.bl-tag.bl-bad", {}, "default action") : null,
        ms ? h("span.bl-tag", {}, `${ms} ms`) : null,
      ),
      this.options.legalUrl
        ? this.details("Legal actions", this.options.legalUrl, at, (answer) => legalList(answer, names))
        : null,
      this.options.askUrl ? this.others(at) : null,
      this.options.logUrl ? this.details("Its log", this.options.logUrl, at, logLines) : null,
    ];
  }

  /** Decisions of other bots, which take a while; known answers are shown at once. */
  others(at) {
    const box = h("div", { "aria-live": "polite", tabindex: -1 });
    const say = (text) => box.replaceChildren(h("p.bl-dim", {}, text));
    const begin = async () => {
      box.focus(); // the button goes away
      say(waitText());
      try {
        const address = this.options.askUrl.replaceAll("{move}", String(at - 1));
        const found = await waitFor(address, say);
        this.asked.set(at, found);
        box.replaceChildren(answers(found));
      } catch (problem) {
        say(/** @type {Error} */ (problem).message);
      }
    };
    const known = this.asked.get(at);
    box.append(known ? answers(known) : h("button.bl-button", { type: "button", onclick: begin }, OTHERS));
    return box;
  }

  /** Details that are requested from the server when opened. */
  details(title, template, at, draw) {
    const box = h("div", { "aria-live": "polite" });
    const element = h("details", {}, h("summary", {}, title), box);
    element.addEventListener("toggle", async () => {
      if (!element.open || box.childElementCount) return;
      try {
        const answer = await fetch(template.replaceAll("{move}", String(at - 1)), {
          headers: { accept: "application/json" },
        });
        if (!answer.ok) throw new Error(String(answer.status));
        box.replaceChildren(draw(await answer.json()));
      } catch {
        box.replaceChildren(h("p.bl-dim", {}, "The server did not answer."));
      }
    });
    return element;
  }
}

function legalList({ words = [], more = 0 }, names) {
  const items = words.map((parts) => h("li", {}, asNodes(parts, names)));
  return h("ul.bl-legal", {}, items, more ? h("li.bl-dim", {}, `and ${more} more`) : null);
}

function answers({ bots }) {
  const items = bots.map(({ bot, does }) => h("li", {}, h("b", {}, bot), ": ", does));
  return h("ul.bl-answers", { "aria-label": OTHERS }, items);
}

function logLines({ lines = [] }) {
  return lines.length ? h("pre.bl-log-lines", { tabindex: 0 }, lines.join("\n")) : h("p.bl-dim", {}, "nothing");
}
