// The replay of a match: mount(element, record, options).

import { controls } from "./controls.js";
import { CourseBox } from "./course.js";
import { goToDialog, helpDialog } from "./dialogs.js";
import { byKind } from "./draw/cards.js";
import { fill, h } from "./draw/dom.js";
import { DRAWN } from "./draw/families.js";
import { flights, flightTime } from "./draw/motion.js";
import { board, seatHead } from "./draw/seats.js";
import { listen } from "./keys.js";
import { DecisionBox, TurnLog, textAt } from "./log.js";
import { neighbour, Player } from "./player.js";
import { rulesOf } from "./rules.js";
import { Timeline } from "./state/timeline.js";

const HASH = /^#move=(\d{1,9})$/;
const SPOKEN_SPEED = 1; // moves a second; faster replays are not read out
const SETTLED_MS = 250; // after which the address shows the position

/**
 * @typedef {object} Options
 * @property {string} [match] the match's id, as the title
 * @property {string[]} [names] per seat, shown instead of the record's players
 * @property {number[]} [places] per seat, instead of the record's
 * @property {(string|number|null)[]} [ratings] per seat
 * @property {string} [legalUrl] address of the legal actions of a move, with `{move}` (from 0) in it; answers
 *   `{"words": [parts of an action's sentence, ...], "more": number}`
 * @property {string} [logUrl] address of the bot's log lines of a move; answers `{"lines": [text, ...]}`
 * @property {string} [askUrl] address for asking bots for a move, with `{move}` in it; see `waitFor`
 * @property {Course|null} [course] course of the match, shown below it
 * @property {string} [analysisUrl] address for analysing a match without a course; see `waitFor`
 * @property {boolean} [mayAnalyse] whether the visitor may request an analysis
 * @property {number} [own] the visitor's seat, whose largest mistakes are shown; default `seat`
 * @property {boolean} [hash] whether the address of the page shows the position (default true)
 * @property {boolean} [keys] whether it listens to keys (default true); only one viewer per page can
 * @property {boolean} [small] only the table, in the middle of the match, with a button that plays it
 * @property {number} [seat] the seat whose view is shown at first; default all
 */

/** @typedef {{mean: number, error: number}} Expected */

/**
 * The course of a match: the JSON of `beanbot.analyse`.
 * @typedef {object} Course
 * @property {{turn: number, move: number, chances: Expected[], places: Expected[]}[]} moments the beginning of each turn;
 *   `move`: the number of moves before it; `chances`: to win, per seat, 0 to 1; `places`: to expect, per seat, from 1
 * @property {number[][]} by_strength by moment and seat: the chance to win if all play as well as their ratings say; empty
 *   if these were not known
 * @property {number[]} turning_points indices of moments
 * @property {{deal: number, luck: number, play: number, others: number, won: number}[]} shares per seat, or none
 * @property {{turn: number, move: number, seat: number, kind: string, played: string, better: string,
 *   loss: {mean: number, error: number}}[]} mistakes `move`: an index of the record's moves
 */

/**
 * Show a record in an element.
 * @param {HTMLElement} element
 * @param {import("./records.js").Record} record as `beanleague match export` writes it (docs/records.md), with `words`, `asked` and
 *   `happened` of web/viewer.py; without them events are shown by name, and questions not at all
 * @param {Options} [options]
 * @returns {{go: (at: number) => void, look: (seat: number|null) => void, player: Player, timeline: Timeline,
 *   destroy: () => void}}
 * @throws {Error} if the record cannot be shown; its message is for people
 */
export function mount(element, record, options = {}) {
  const viewer = new Viewer(record, options);
  element.replaceChildren(viewer.element);
  viewer.start();
  return {
    go: (at) => viewer.player.go(at),
    look: (seat) => viewer.look(seat),
    player: viewer.player,
    timeline: viewer.timeline,
    destroy: () => viewer.destroy(),
  };
}

class Viewer {
  constructor(record, options) {
    this.options = options;
    this.still = options.hash === false || Boolean(options.small); // the address of the page shows no position
    this.rules = rulesOf(record);
    this.record = record;
    this.drawn = DRAWN[this.rules.family];
    this.names = distinct((options.names ?? record.players).map(String));
    this.sights = this.rules.family === "plain" ? [] : this.names; // its hidden parts are unknown
    this.earners = this.rules.thief ? [...this.names, "Bean Thief"] : this.names;
    this.timeline = new Timeline(record, this.rules);
    this.player = new Player(this.timeline.length);
    this.commands = this.makeCommands();
    this.deafen = () => {};
    this.heard = () => this.fromHash();
    this.settling = 0;
    const { timeline, player, names } = this;
    this.table = board(this.rules.seats, names);
    this.log = new TurnLog(timeline, this.earners, (at) => player.go(at));
    this.decision = new DecisionBox(timeline, names, this.options);
    this.controls = controls(timeline, player, this.commands, {
      names: this.earners,
      moneyText: this.drawn.moneyText,
      sights: this.sights,
      onsight: (seat) => this.look(seat),
    });
    this.course =
      options.course || options.analysisUrl ? new CourseBox(player, names, options, () => this.reveal()) : null;
    this.live = h("p.bl-sr", { "aria-live": "polite", "aria-atomic": "true" });
    this.discards = h("div.bl-discards");
    this.help = helpDialog();
    this.goTo = goToDialog(player.length, (at) => player.go(at));
    this.result = h("div.bl-result");
    const parts = options.small ? this.smallParts() : this.allParts();
    this.element = h("div.bl-viewer", { "data-family": this.rules.family }, parts);
  }

  allParts() {
    return h(
      "div.bl-parts",
      {},
      this.result,
      h(
        "div.bl-main",
        {},
        h("div.bl-scroll", {}, this.table.board),
        h("aside.bl-side", { "aria-label": "Moves" }, this.decision.element, this.log.element, this.pileBox()),
      ),
      this.controls.element,
      this.course?.element,
      this.live,
      this.help,
      this.goTo,
    );
  }

  smallParts() {
    const button = h("button.bl-button", { type: "button", onclick: this.commands.play }, "▶ Play");
    this.player.addEventListener("play", () => {
      button.textContent = this.player.playing ? "❚❚ Pause" : "▶ Play";
    });
    return h("div.bl-parts", {}, this.table.board, button);
  }

  pileBox() {
    if (["dice", "plain"].includes(this.rules.family)) return null;
    return h(
      "details.bl-pile-box",
      { ontoggle: () => this.showDiscards() },
      h("summary", {}, "Discards by kind"),
      this.discards,
    );
  }

  start() {
    const { player } = this;
    player.addEventListener("move", (event) => this.moved(/** @type {CustomEvent} */ (event).detail.from));
    player.addEventListener("play", () => this.controls.update());
    if (this.options.small) player.go(Math.round(player.length / 2));
    else if (this.options.keys !== false) this.deafen = listen(document, this.commands);
    if (!this.still) addEventListener("hashchange", this.heard);
    if (this.options.seat !== undefined) this.look(this.options.seat);
    this.fromHash();
    this.show();
  }

  destroy() {
    this.player.stop();
    clearTimeout(this.settling);
    this.deafen();
    removeEventListener("hashchange", this.heard);
    this.element.remove();
  }

  fromHash() {
    const found = this.still ? null : HASH.exec(location.hash);
    if (found) this.player.go(Number(found[1]));
  }

  toHash() {
    if (this.still) return;
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      const hash = `#move=${this.player.at}`;
      if (location.hash !== hash) history.replaceState(history.state, "", hash);
    }, SETTLED_MS);
  }

  /** Show the view of `seat`; null: all hands. */
  look(seat) {
    this.timeline.look(seat);
    this.controls.showSight(seat);
    this.show();
  }

  /** Scroll to the table, unless it is in sight. */
  reveal() {
    const { top, bottom } = this.table.board.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) this.table.board.scrollIntoView({ block: "start" });
  }

  moved(from) {
    const { player, timeline } = this;
    const one = player.at === from + 1;
    const ms = one ? flightTime(player.speed, player.playing) : 0;
    const land = flights(this.table.board, one ? timeline.events(player.at) : [], ms);
    this.show();
    land();
    this.toHash();
  }

  show() {
    const { player, timeline, rules, drawn, names } = this;
    const table = timeline.table(player.at);
    const forfeited = timeline.forfeitedAt(player.at);
    const money = timeline.money[player.at];
    this.table.seats.forEach(({ panel, head, body }, seat) => {
      const active = seat === table.active && !table.over;
      panel.classList.toggle("bl-is-active", active);
      const place = table.over ? ordinal((this.options.places ?? this.record.places)[seat]) : null;
      const heading = {
        seat,
        name: names[seat],
        money: drawn.moneyText(money[seat]),
        active,
        forfeited: forfeited.has(seat),
        place,
      };
      fill(head, heading, () => seatHead(heading));
      const parts = drawn.seatParts(table, seat);
      fill(body, parts, () => drawn.drawSeat(parts, seat, rules));
    });
    const middle = drawn.middleParts(table);
    fill(this.table.middle, middle, () => drawn.drawMiddle(middle, names, rules));
    fill(this.result, Boolean(table.over), () => this.drawResult());
    this.decision.show(player.at);
    this.log.show(player.at);
    this.controls.update();
    this.course?.show();
    this.showDiscards();
    this.speak();
  }

  showDiscards() {
    if (!this.discards.parentElement?.open) return;
    const { discards, pile } = this.timeline.table(this.player.at);
    fill(this.discards, [pile, discards], () => [
      h("p.bl-small", {}, `${pile} in the pile, ${discards.length} discarded`),
      byKind(discards),
    ]);
  }

  speak() {
    const { player } = this;
    if (player.playing && player.speed > SPOKEN_SPEED) return;
    this.live.textContent = textAt(this.timeline, player.at, this.earners);
    this.timeline.table(player.at);
  }

  /** Draw the title and the result, which is shown from the beginning: viewers of a replay know it. */
  drawResult() {
    const { match, ratings } = this.options;
    const places = this.options.places ?? this.record.places;
    const order = this.names.map((_, seat) => seat).sort((a, b) => places[a] - places[b]);
    const scores = this.timeline.money[this.timeline.length];
    return [
      h("h1.bl-title", {}, match ? [h("bdi", {}, match), " "] : null, h("span.bl-dim", {}, this.rules.ruleset)),
      h(
        "ol.bl-players",
        {},
        order.map((seat) =>
          h(
            `li${places[seat] === 1 ? ".bl-winner" : ""}`,
            {},
            h("span.bl-place", {}, ordinal(places[seat])),
            h(`span.bl-mark.bl-seat-${seat}`, { "aria-hidden": "true" }, seat),
            h("bdi.bl-who", {}, this.names[seat]),
            ratings?.[seat] !== undefined && ratings[seat] !== null
              ? h("span.bl-rating", {}, `(${ratings[seat]})`)
              : null,
            h("b.bl-money", {}, this.drawn.moneyText(scores[seat])),
          ),
        ),
        this.rules.thief
          ? h("li", {}, "Bean Thief ", h("b.bl-money", {}, this.drawn.moneyText(scores[this.rules.seats])))
          : null,
      ),
    ];
  }

  makeCommands() {
    const { player, timeline } = this;
    const to = (positions, direction) => () => player.go(neighbour(positions, player.at, direction));
    const marks = (kind) => timeline.marks[kind].map((mark) => mark.at);
    return {
      next: () => player.go(player.at + 1),
      previous: () => player.go(player.at - 1),
      first: () => player.go(0),
      last: () => player.go(player.length),
      nextTurn: () => player.go(neighbour([...timeline.turns, player.length], player.at, 1)),
      previousTurn: () => player.go(neighbour([0, ...timeline.turns], player.at, -1)),
      nextTrade: to(marks("trade"), 1),
      previousTrade: to(marks("trade"), -1),
      nextHarvest: to(marks("harvest"), 1),
      previousHarvest: to(marks("harvest"), -1),
      nextFault: to(marks("fault"), 1),
      previousFault: to(marks("fault"), -1),
      play: () => player.toggle(),
      faster: () => player.faster(1),
      slower: () => player.faster(-1),
      sight: () => {
        const next = timeline.seat === null ? 0 : timeline.seat + 1;
        this.look(next < this.sights.length ? next : null);
      },
      goTo: () => this.goTo.showModal(),
      help: () => this.help.showModal(),
    };
  }
}

/** Unique names: with the seat if a player has several. */
function distinct(names) {
  const twice = (name) => names.indexOf(name) !== names.lastIndexOf(name);
  return names.map((name, seat) => (twice(name) ? `${name} (seat ${seat})` : name));
}

function ordinal(place) {
  return `${place}${{ 1: "st", 2: "nd", 3: "rd" }[place] ?? "th"}`;
}
