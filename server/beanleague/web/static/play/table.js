// A table from one seat: the board, the latest events, and the possible actions.

import { fill, h } from "../viewer/draw/dom.js";
import { DRAWN } from "../viewer/draw/families.js";
import { label } from "../viewer/draw/kinds.js";
import { flights, flightTime } from "../viewer/draw/motion.js";
import { board, seatHead } from "../viewer/draw/seats.js";
import { asNodes, asText } from "../viewer/log.js";
import { rulesOf } from "../viewer/rules.js";
import { apply, FAMILIES } from "../viewer/state/families.js";
import { early, meant, placesOf } from "./actions.js";
import { Notice } from "./notice.js";
import { diceTray, tradeTray } from "./tray.js";

const MOST_LINES = 120;
const SHOWN_MS = 2200; // for all events since the last question
const EACH_MS = 420; // at most, per event
/** What the table of a family shows by signs alone. */
const SIGNS = {
  dice: "On a card, each order has its chance on a first roll of all dice, and what a harvest earns with so many orders.",
  duel:
    "A bo(h)nus card 1-2-1 40¢ earns $1.40 once a field, of either player, ends with 1 bean or more of a kind, then 2 of " +
    "another, then 1 of a third. The field stays.",
};
const BELOW = "(max-width: 720px)"; // layout with the actions below the own seat

/**
 * @param {object} began the message that began the match
 * @param {{declines: boolean}} habits `declines`: whether the table declines offers that cannot be accepted
 * @param {(what: "move"|"habits", message: object) => Promise<string>} send returns the reason of a refusal, or ""
 */
export class TableView {
  constructor({ seat, names, record }, { declines }, send) {
    this.seat = seat;
    const twice = (name) => names.filter((other) => other === name).length > 1;
    this.names = names.map((name, i) => (i === seat ? `${name} (you)` : twice(name) ? `${name} (seat ${i})` : name));
    this.rules = rulesOf(record);
    this.drawn = DRAWN[this.rules.family];
    this.state = FAMILIES[this.rules.family].table(this.rules);
    this.earners = this.rules.thief ? [...this.names, "Bean Thief"] : this.names;
    this.send = send;
    this.queue = Promise.resolve(); // work still to be shown
    /** @type {{event: import("../viewer/records.js").Event, line: any[]}[]} what has been shown */
    this.past = [];
    /** @type {import("../viewer/records.js").Action[]} */
    this.legal = [];
    this.table = board(this.rules.seats, this.names, this.seat);
    this.own = this.table.seats[this.seat].panel;
    this.own.dataset.own = "";
    this.table.board.addEventListener("click", (event) => this.clicked(event));
    this.log = h("ol.bl-log", { tabindex: 0, "aria-label": "What happened", "aria-live": "polite" });
    this.title = h("h2", { tabindex: -1 }, "The bots think…");
    this.problem = h("p.play-problem", { role: "alert" });
    this.choices = h("div.play-choices");
    const habits = this.rules.family === "bohnanza" ? habit(declines, (message) => this.send("habits", message)) : null;
    const signs = Object.hasOwn(SIGNS, this.rules.family) ? h("p.play-help", {}, SIGNS[this.rules.family]) : null;
    this.notice = new Notice();
    this.panel = h("section.play-panel", { "aria-label": "Your move" }, [
      this.title,
      this.problem,
      this.choices,
      signs,
      habits,
      this.notice.element,
    ]);
    const side = h("div.bl-side", {}, this.panel, this.log);
    const main = h("div.bl-main", {}, h("div.bl-scroll", {}, this.table.board), side);
    this.element = h("div.play-table", { "data-family": this.rules.family }, h("div.bl-frame", {}, main));
    this.show();
  }

  /** Queue work after everything still to be shown. */
  after(work) {
    this.queue = this.queue.then(work).catch((problem) => this.note(`This table cannot be shown: ${problem.message}`));
  }

  asked(message) {
    this.after(async () => {
      if (message.kept !== undefined) this.back(message.kept);
      await this.happen(message.events, message.lines);
      this.mayTakeBack = message.may_take_back;
      this.decision = message.decision;
      this.question = message.question;
      this.asks = message.asks;
      this.legal = message.legal;
      this.words = message.words;
      this.ask();
      this.notice.asked(message.events.some((event) => (event.seat ?? this.seat) !== this.seat));
    });
  }

  /** Show what happened without a question, such as an offer that the table declined by itself. */
  happened({ events, lines }) {
    this.after(() => this.happen(events, lines));
  }

  /** Show events one by one, each with its line. */
  async happen(events, lines) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
    const pause = calm ? 0 : Math.min(EACH_MS, SHOWN_MS / Math.max(1, events.length));
    for (const [i, event] of events.entries()) {
      const land = flights(this.table.board, [event], pause > 120 ? Math.min(pause, flightTime(1, false)) : 0);
      apply(this.state, event, this.rules);
      this.past.push({ event, line: lines[i] });
      this.write(lines[i]);
      this.show();
      land();
      if (pause && event.seat !== this.seat) await new Promise((done) => setTimeout(done, pause));
    }
  }

  /** Return to the table after the first `kept` events. @param {number} kept */
  back(kept) {
    const past = this.past.slice(0, kept);
    Object.assign(this, { past, state: FAMILIES[this.rules.family].table(this.rules) });
    this.log.replaceChildren();
    for (const { event, line } of past) {
      apply(this.state, event, this.rules);
      this.write(line);
    }
    this.show();
  }

  write(parts) {
    this.log.append(h("li", {}, asNodes(parts, this.earners)));
    while (this.log.children.length > MOST_LINES) this.log.firstChild.remove();
    this.log.scrollTop = this.log.scrollHeight;
  }

  note(text) {
    this.problem.textContent = text;
  }

  show() {
    const { state, rules, drawn, names } = this;
    const money = FAMILIES[rules.family].money(state, rules);
    this.table.seats.forEach(({ panel, head, body }, seat) => {
      const active = seat === state.active && !state.over;
      panel.classList.toggle("bl-is-active", active);
      const heading = { seat, name: names[seat], money: drawn.moneyText(money[seat]), active };
      fill(head, heading, () => seatHead(heading));
      const parts = drawn.seatParts(state, seat);
      fill(body, parts, () => drawn.drawSeat(parts, seat, rules));
    });
    const middle = drawn.middleParts(state);
    fill(this.table.middle, middle, () => drawn.drawMiddle(middle, names, rules));
  }

  /** @returns {any} the table of the family, for trays and words */
  get at() {
    return { table: this.state, seat: this.seat, names: this.names, rules: this.rules, question: this.question };
  }

  ask() {
    const held = this.panel.contains(document.activeElement) || document.activeElement === document.body;
    const play = (action) => this.play(action);
    this.title.replaceChildren(...asNodes(this.asks, this.names));
    const plain = this.legal.filter((action) => action.action !== "save");
    const offered = new Map(); // one choice per sentence
    for (const [i, action] of this.legal.entries()) {
      const text = asText(capital(this.words[i]), this.names);
      if (action.action !== "save" && !offered.has(text)) offered.set(text, action);
    }
    const buttons = [...offered].map(([text, action]) => this.button(text, action));
    if (this.question === "answer") {
      const decline = { action: "decline" };
      buttons.splice(
        1,
        0,
        choice("Decline all until my turn", () => this.play(decline, { until_turn: true })),
      );
    }
    if (this.mayTakeBack) buttons.push(undo(() => this.answer({ take_back: true })));
    const tray =
      this.question === "trade" || this.question === "answer"
        ? tradeTray(this.at, this.question === "answer", play)
        : plain.length < this.legal.length
          ? diceTray(
              this.at,
              this.legal.filter((action) => action.action === "save"),
              play,
            )
          : null;
    this.choices.replaceChildren(h("div.play-buttons", {}, buttons), ...(tray ? [tray] : []));
    this.selected = null;
    this.mark();
    if (held) this.title.focus({ preventScroll: true });
    if (matchMedia(BELOW).matches && !within(this.panel)) this.own.scrollIntoView();
  }

  /** Mark the clickable places on the board. */
  mark() {
    for (const marked of this.table.board.querySelectorAll(".play-can, .bl-picked"))
      marked.classList.remove("play-can", "bl-picked");
    for (const action of this.legal) {
      for (const place of placesOf(action, this.seat)) this.place(place)?.classList.add("play-can");
    }
    if (this.selected) this.place(this.selected)?.classList.add("bl-picked");
  }

  place(at) {
    return this.table.board.querySelector(`[data-at="${at}"]`);
  }

  /** A button for an action; a harvest that one more card would improve asks for a second click. */
  button(text, action) {
    const loss = early(action, this.state, this.seat);
    let sure = false;
    const button = choice(text, () => {
      if (sure || !loss) {
        this.play(action);
        return;
      }
      sure = true;
      button.replaceChildren(`${text} all the same`);
      button.classList.add("play-sure");
      this.note(`One more ${label(loss.kind)} makes it $${loss.more} instead of $${loss.dollars}.`);
    });
    return button;
  }

  /** Handle a click on a card, a field or a die: take the only possible action, or select the card. */
  clicked(event) {
    const found = event.target.closest(".play-can");
    if (!found) return;
    const place = found.dataset.at;
    const [only, ...more] = meant(this.legal, this.seat, place, this.selected);
    if (only && !more.length) {
      this.play(only);
      return;
    }
    this.selected = place === this.selected ? null : place;
    this.note(more.length ? "Click where it goes, or choose below." : "");
    this.mark();
  }

  /** @param {object} action @param {object} [more] sent beside it */
  play(action, more = {}) {
    return this.answer({ action, ...more });
  }

  /** Answer the question, or take back the last move. @param {object} message */
  async answer(message) {
    const { decision, legal } = this;
    this.legal = [];
    this.notice.rest();
    this.mark();
    for (const button of this.choices.querySelectorAll("button")) button.disabled = true;
    this.note("");
    const refused = await this.send("move", { decision, ...message });
    if (refused) {
      this.note(refused);
      this.legal = legal;
      this.ask();
    } else if (decision === this.decision && !this.legal.length) {
      this.title.textContent = "The bots think…";
      this.choices.replaceChildren();
    }
  }

  ended({ events, lines, scores, places, note }) {
    this.legal = [];
    this.after(async () => {
      this.choices.replaceChildren();
      this.mark();
      await this.happen(events, lines);
      const order = places.map((_, seat) => seat).sort((a, b) => places[a] - places[b]);
      this.title.textContent = places[this.seat] === 1 ? "You won" : "The match is over";
      this.choices.replaceChildren(
        h(
          "ol.play-result",
          {},
          order.map((seat) =>
            h(
              "li",
              {},
              `${places[seat]}. `,
              h("bdi", {}, this.names[seat]),
              " ",
              h("b", {}, this.drawn.moneyText(scores[seat])),
            ),
          ),
        ),
        h("p.quiet", {}, note),
      );
    });
  }

  /**
   * Offer the next steps after the match.
   * @param {string} replay
   * @param {HTMLElement} again
   */
  over(replay, again) {
    this.after(() => {
      again.hidden = false;
      this.choices.append(
        h(
          "div.buttons",
          {},
          again,
          h("a.button.plain", { href: replay }, "Watch the match"),
          h(
            "a.button.plain",
            { href: replay.replace(/replay$/, "record.json"), download: "friendly.json" },
            "Download the record",
          ),
        ),
      );
      document.querySelector(".leave")?.remove();
      this.title.focus({ preventScroll: true });
    });
  }
}

/** The box that says whether the table declines what cannot be accepted. */
function habit(declines, send) {
  const box = h("input", { type: "checkbox", checked: declines });
  box.addEventListener("change", () => send({ declines_unfit: box.checked }));
  return h("p.play-habit", {}, h("label", {}, box, " Decline by itself what I cannot fulfil"));
}

function undo(onclick) {
  return h("button.plain.play-undo", { type: "button", onclick }, "Undo my last move");
}

function choice(text, onclick) {
  return h("button.plain.play-do", { type: "button", onclick }, text);
}

/** The sentence with a capital letter. */
function capital([first, ...rest]) {
  return [typeof first === "string" ? first[0].toUpperCase() + first.slice(1) : first, ...rest];
}

/** Whether the upper end of an element is in the upper half of the window. @param {Element} element */
function within(element) {
  const { top } = element.getBoundingClientRect();
  return top >= 0 && top < innerHeight / 2;
}
