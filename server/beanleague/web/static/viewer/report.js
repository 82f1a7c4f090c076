// The page of a bot's report: <div data-report='{"bot": "ann@1", "url": "/bots/ann/report?...", "may": true}'></div>
// requests it and shows it as tables, with advice on what to do first. It is not stored.

import { address } from "./address.js";
import { h } from "./draw/dom.js";
import { waitFor, waitText } from "./waiting.js";

const OFFER =
  "The server reads the matches and asks trader for every decision of the bot, with what the bot knew. This takes up to " +
  "some minutes, and the report is not stored.";
const NOBODY = "Authors can request it after signing in.";
const MOST_SIZES = 10; // kinds and sizes of fields listed

/**
 * @typedef {{mean: number, error: number}} Expected
 *
 * @typedef {object} Loss
 * @property {string} kind
 * @property {number} decisions
 * @property {number} matches
 * @property {Expected} a_match
 *
 * @typedef {object} Report what `beanleague bot report --json` prints
 * @property {string} bot
 * @property {string} yardstick the bot that its decisions are compared with
 * @property {string} against the bot for comparison of figures, or ""
 * @property {number} matches
 * @property {number} against_matches
 * @property {{name: string, own: Expected, others: Expected, against: Expected?}[]} figures
 * @property {[number, Expected][]} seats
 * @property {[string, Expected][]} opponents
 * @property {Loss[]} otherwise
 * @property {Loss[]} mistakes
 * @property {{kind: string, cards: number, short: number, harvests: number, matches: number, came: number, a_match: Expected}[]} early
 * @property {{match: string, seat: number, dollars: number, others: number}[]} worst
 * @property {{text: string, examples: {match: string, move: number, text: string}[]}[]} to_do
 */

class ReportBox {
  constructor(element, { bot, url, may }) {
    this.bot = bot;
    this.url = url;
    this.may = may;
    this.status = h("p", { role: "status" });
    this.body = h("div");
    this.element = h("section", { "aria-label": `Report of ${bot}`, tabindex: -1 }, this.status, this.body);
    element.replaceChildren(this.element);
    this.offer();
  }

  offer(problem = "") {
    const begin = () => this.ask();
    this.status.textContent = this.may ? OFFER : NOBODY;
    this.body.replaceChildren(
      problem ? h("p.problem", { role: "alert" }, problem) : "",
      this.may ? h("button", { type: "button", onclick: begin }, "Make the report") : "",
    );
  }

  async ask() {
    this.body.replaceChildren();
    this.status.textContent = waitText();
    this.element.focus(); // the button is gone
    try {
      const found = await waitFor(this.url, (text) => {
        this.status.textContent = text;
      });
      this.draw(found);
    } catch (problem) {
      this.offer(/** @type {Error} */ (problem).message);
    }
  }

  /** @param {Report} report */
  draw(report) {
    this.status.textContent = `Made from ${count(report.matches, "match", "matches")}. Numbers are means with their standard error.`;
    this.body.replaceChildren(
      toDo(report),
      figures(report),
      losses(`Otherwise than ${report.yardstick}`, report.otherwise, decided(report)),
      early(report),
      losses(
        "Mistakes that stand out",
        report.mistakes,
        "What they lost of the chance to win in a match, in per cent.",
      ),
      ...seats(report),
      worst(report),
    );
    this.element.dataset.ready = "yes";
  }
}

/** @param {Report} report */
function decided({ yardstick, against }) {
  const who = against && against.split("@")[0] !== yardstick ? `, not ${against}` : "";
  return (
    `The bot that was asked for each decision is ${yardstick}${who}. Where it decides otherwise: what that lost of the chance to ` +
    "win in a match, in per cent."
  );
}

/** @param {Report} report */
function toDo({ to_do: todo, yardstick }) {
  const item = ({ text, examples }) => h("li", {}, text, " Look at:", h("ul", {}, examples.map(example)));
  const example = ({ match, move, text }) =>
    h("li", {}, h("a", { href: address(`/matches/${match}#move=${move + 1}`) }, `${match}, move ${move}`), `, ${text}`);
  return section(
    "What to do",
    todo.length
      ? h("ol", {}, todo.map(item))
      : h("p", {}, `Nothing that it decides otherwise than ${yardstick}, and no harvest, loses more than the error.`),
  );
}

/** @param {Report} report */
function figures({ bot, against, against_matches: matches, figures: found }) {
  const columns = [bot, ...(against ? [against] : []), "others"];
  const rows = found.map(({ name, own, against: beside, others }) => [
    name,
    ...[own, ...(against ? [beside] : []), others].map((value) => (value ? told(value) : "–")),
  ]);
  const note = against ? `Those of ${against} are of ${count(matches, "match", "matches")} of its own.` : "";
  return section("Figures of a match", h("p.quiet", {}, note), table("Figures", ["a match", ...columns], rows));
}

/** @param {Report} report */
function early({ early: found }) {
  const rows = found
    .slice(0, MOST_SIZES)
    .map(({ kind, cards, short, harvests, matches, came, a_match: gained }) => [
      `${kind.replace("_", "-")} at ${cards}`,
      short,
      harvests,
      matches,
      came.toFixed(1),
      told(gained, 1, true),
    ]);
  const note = h(
    "p.quiet",
    {},
    "What waiting two turns would have gained, in dollars a match, as far as it can be told.",
  );
  const head = ["field", "short by", "harvests", "matches", "came", "gained"];
  return rows.length ? section("Harvests a card or two short of more", note, table("Harvests", head, rows)) : "";
}

function losses(title, found, note) {
  const rows = found.map(({ kind, decisions, matches, a_match: lost }) => [kind, decisions, matches, told(lost, 100)]);
  const body = rows.length ? table(title, ["kind", "decisions", "matches", "lost"], rows) : h("p.empty", {}, "None.");
  return section(title, h("p.quiet", {}, note), body);
}

/** @param {Report} report */
function seats({ seats: by, opponents }) {
  const seat = by.map(([number, ahead]) => [String(number), told(ahead, 1, true)]);
  const opponent = opponents.map(([name, ahead]) => [name, told(ahead, 1, true)]);
  return [
    section("By seat", table("By seat", ["seat", "dollars above the table"], seat)),
    section("Against each opponent", table("Opponents", ["opponent", "dollars ahead"], opponent)),
  ];
}

/** @param {Report} report */
function worst({ worst: deals }) {
  const rows = deals.map(({ match, seat, dollars, others }) => [
    h("a", { href: address(`/matches/${match}`) }, match),
    seat,
    dollars,
    others.toFixed(1),
  ]);
  return rows.length
    ? section("Worst deals", table("Worst deals", ["match", "seat", "dollars", "others made of it"], rows))
    : "";
}

function section(title, ...body) {
  return h("section", {}, h("h2", {}, title), body);
}

function table(label, head, rows) {
  const heading = (text, i) => h(i ? "th.right" : "th", { scope: "col" }, text);
  const row = ([first, ...others]) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, first),
      others.map((cell, i) => h("td.right", { "data-label": head[i + 1] }, cell)),
    );
  return h(
    "div.table.fit.whole.stack",
    { tabindex: 0, role: "region", "aria-label": label },
    h("table", {}, h("thead", {}, h("tr", {}, head.map(heading))), h("tbody", {}, rows.map(row))),
  );
}

/** @param {Expected} value */
function told({ mean, error }, scale = 1, sign = false) {
  const plus = sign && mean >= 0 ? "+" : "";
  return `${plus}${(scale * mean).toFixed(1)} ± ${(scale * error).toFixed(1)}`;
}

function count(number, one, many) {
  return `${number} ${number === 1 ? one : many}`;
}

/** @type {NodeListOf<HTMLElement>} */
const places = document.querySelectorAll("[data-report]");
for (const place of places) new ReportBox(place, JSON.parse(place.dataset.report ?? "{}"));
