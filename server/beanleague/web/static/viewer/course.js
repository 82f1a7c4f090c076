// The course of a match: each seat's chance to win by turn, its causes, and mistakes.

import { h, svg } from "./draw/dom.js";
import { waitFor, waitText } from "./waiting.js";

const WIDTH = 1000;
const HEIGHT = 120;
const NOBODY = "Nobody has analysed this match yet. Authors can, when they have signed in.";
const OFFER =
  "The server can play it on to its end from each turn, again and again, to say how it went; in a trading game also " +
  "what was luck, and the mistakes. That takes up to a minute or two.";
const MOST_OWN = 3; // mistakes shown for one seat

export class CourseBox {
  /**
   * @param {import("./player.js").Player} player
   * @param {string[]} names per seat
   * @param {import("./viewer.js").Options} options
   * @param {() => void} reveal brings the table into sight, when a link to a position was followed
   */
  constructor(player, names, options, reveal) {
    this.player = player;
    this.names = names;
    this.options = options;
    this.reveal = reveal;
    this.own = options.own ?? options.seat;
    this.head = h("i.bl-playhead");
    this.rows = [];
    this.moments = [];
    this.strengths = [];
    this.status = h("p.bl-dim", { role: "status" });
    this.body = h("div.bl-course-body");
    this.element = h(
      "section.bl-course",
      { "aria-label": "The course of the match", tabindex: -1 },
      h("h2", {}, "The course"),
      this.status,
      this.body,
    );
    if (options.course) this.draw(options.course);
    else this.offer();
  }

  async ask() {
    this.body.replaceChildren();
    this.status.textContent = waitText();
    this.element.focus(); // the button has been removed
    try {
      const found = await waitFor(this.options.analysisUrl ?? "", (text) => {
        this.status.textContent = text;
      });
      this.draw(found);
    } catch (problem) {
      this.offer(/** @type {Error} */ (problem).message);
    }
  }

  offer(problem = "") {
    const begin = () => this.ask();
    this.status.textContent = this.options.mayAnalyse ? OFFER : NOBODY;
    this.body.replaceChildren(
      problem ? h("p.bl-problem", { role: "alert" }, problem) : "",
      this.options.mayAnalyse ? h("button.bl-button", { type: "button", onclick: begin }, "Analyse this match") : "",
    );
  }

  /** @param {import("./viewer.js").Course} course */
  draw(course) {
    this.moments = course.moments;
    const error = Math.max(...this.moments.flatMap((moment) => moment.chances.map((chance) => chance.error)));
    this.strengths = course.by_strength;
    this.status.textContent = `Chances to win if all play equally well from there; standard error at most ${percent(error)}.`;
    this.body.replaceChildren(
      this.curve(course),
      this.legend(),
      this.turns(this.moments, course.turning_points),
      ...(course.shares.length ? [this.shares(course.shares), this.mistakes(course.mistakes)] : []),
    );
    this.show();
  }

  /** The chances as lines over the moves, and a mark on each turning point. */
  curve({ moments, turning_points: turning }) {
    const { length } = this.player;
    const x = (at) => Math.round(length ? (at / length) * WIDTH : 0);
    const y = (chance) => Math.round((HEIGHT - 6) * (1 - chance)) + 3;
    const line = (seat, chances, looks) => {
      const points = chances.map((chance, number) => `${x(moments[number].move)} ${y(chance)}`);
      return svg("path", { class: `bl-curve-line bl-line-${seat} ${looks}`, d: `M${points.join("L")}` });
    };
    const by = (seat) => this.strengths.map((chances) => chances[seat]);
    const equal = (seat) => moments.map(({ chances }) => chances[seat].mean);
    const lines = [
      ...(this.strengths.length ? this.names.map((_, seat) => line(seat, by(seat), "bl-line-rated")) : []),
      ...this.names.map((_, seat) => line(seat, equal(seat), "")),
    ];
    const last = moments.at(-1).chances.map((chance, seat) => `${this.names[seat]} ${percent(chance.mean)}`);
    const about = `Chances to win over the match. At the last turn: ${last.join(", ")}. The table below has all turns.`;
    const half = svg("path", { class: "bl-turn-ticks", d: `M0 ${y(0.5)}H${WIDTH}` });
    const looks = { class: "bl-curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" };
    const picture = svg("svg", { ...looks, "aria-label": about }, half, lines);
    const marks = turning.map((number) => {
      const { move, turn } = moments[number];
      const label = `Turning point before turn ${turn}: ${this.changes(moments, number)}`;
      const mark = this.link(move, "", { "aria-label": label, title: label });
      mark.classList.add("bl-turning");
      mark.style.left = `${length ? (100 * move) / length : 0}%`;
      return mark;
    });
    const clicked = (event) => {
      if (event.target.closest("a")) return;
      const { left, width } = plot.getBoundingClientRect();
      this.player.go(((event.clientX - left) / width) * length);
    };
    const plot = h("div.bl-chances", { onclick: clicked }, picture, this.head, marks);
    return plot;
  }

  changes(moments, number) {
    const parts = moments[number].chances.map(({ mean }, seat) => {
      const before = moments[number - 1].chances[seat].mean;
      return Math.abs(mean - before) < 0.1 ? null : `${this.names[seat]} ${percent(before)} to ${percent(mean)}`;
    });
    return parts.filter(Boolean).join(", ");
  }

  legend() {
    const entries = this.names.map((name, seat) =>
      h(
        "span.bl-legend",
        {},
        svg(
          "svg",
          { class: "bl-key-line", viewBox: "0 0 24 4", "aria-hidden": "true" },
          svg("path", { class: `bl-curve-line bl-line-${seat}`, d: "M0 2H24" }),
        ),
        h("bdi", {}, name),
      ),
    );
    const rated = this.strengths.length
      ? h("span.bl-legend", {}, "thin lines, and in brackets: if all play as well as their ratings say")
      : "";
    return h("p.bl-legends", {}, entries, h("span.bl-legend", {}, h("i.bl-key-turning"), "turning point"), rated);
  }

  turns(moments, turning) {
    this.rows = moments.map(({ turn, move, chances, places }, number) => {
      const cells = chances.map(({ mean }, seat) => {
        const changed = turning.includes(number) ? mean - moments[number - 1].chances[seat].mean : 0;
        const sign = Math.abs(changed) < 0.1 ? "" : changed > 0 ? "▲ " : "▼ ";
        const rated = this.strengths.length ? h("span.bl-dim", {}, ` (${percent(this.strengths[number][seat])})`) : "";
        const place = h("span.bl-dim", {}, ` · ${places[seat].mean.toFixed(1)}`);
        return h("td", {}, sign ? h("b", {}, sign, percent(mean)) : percent(mean), rated, place);
      });
      const title = h(
        "th",
        { scope: "row" },
        this.link(move, `Turn ${turn}`),
        turning.includes(number) ? " (turning point)" : "",
      );
      return h("tr", {}, title, cells);
    });
    return h(
      "details",
      {},
      h("summary", {}, "Turn by turn"),
      h(
        "p.bl-dim.bl-small",
        {},
        `Chance to win${this.strengths.length ? " (in brackets: by ratings)" : ""} · place to expect`,
      ),
      this.table("Chances to win and places to expect, turn by turn", ["Turn", ...this.names], this.rows),
    );
  }

  shares(shares) {
    const rows = shares.map(({ deal, luck, play, others, won }, seat) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, h("bdi", {}, this.names[seat])),
        [deal, luck, play + others].map((part) => h("td", {}, signed(part))),
        h("td", {}, percent(won)),
      ),
    );
    return h(
      "details",
      { open: true },
      h("summary", {}, "Luck and play"),
      this.table("What made the chance to win", ["Seat", "Deal", "Luck", "Decisions", "Won"], rows),
      h(
        "p.bl-dim.bl-small",
        {},
        `From ${percent(1 / shares.length)} for each seat. Luck: cards drawn, by any seat; decisions: those of all seats together, against those of a quick trader.`,
      ),
    );
  }

  mistakes(all) {
    const own = this.own !== undefined;
    const sorted = all
      .filter(({ seat }) => !own || seat === this.own)
      .toSorted((a, b) => b.loss.mean - a.loss.mean)
      .slice(0, own ? MOST_OWN : all.length);
    const items = sorted.map(({ turn, move, seat, kind, played, better, loss }) =>
      h(
        "li",
        {},
        this.link(move + 1, `Turn ${turn}, ${kind}`),
        " ",
        h("bdi.bl-who", {}, this.names[seat]),
        ` lost ${exact(loss.mean)} ± ${exact(loss.error)} %: `,
        h("span", {}, played),
        h("span.bl-dim", {}, `; better: ${better}`),
      ),
    );
    const title = own ? "Largest mistakes" : "Mistakes";
    return h(
      "details",
      { open: true },
      h("summary", {}, title),
      items.length ? h("ul.bl-mistakes", {}, items) : h("p.bl-dim", {}, "No mistake stands out."),
    );
  }

  table(title, heads, rows) {
    const head = heads.map((text) => h("th", { scope: "col" }, h("bdi", {}, text)));
    return h(
      "div.bl-figures",
      { tabindex: 0, role: "region", "aria-label": title },
      h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)),
    );
  }

  /** A link to a position of the replay. */
  link(at, text, attributes = {}) {
    const follow = (event) => {
      event.preventDefault();
      this.player.go(at);
      this.reveal();
    };
    return h("a", { href: `#move=${at}`, onclick: follow, ...attributes }, text);
  }

  /** Follow the replay. */
  show() {
    const { at, length } = this.player;
    this.head.style.left = `${length ? (100 * at) / length : 0}%`;
    const now = this.moments.findLastIndex(({ move }) => move <= at);
    this.rows.forEach((row, number) => {
      if (number === now) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    });
  }
}

function percent(share) {
  return `${Math.round(100 * share)} %`;
}

function exact(share) {
  return (100 * share).toFixed(1);
}

function signed(share) {
  const number = Math.round(100 * share);
  return number > 0 ? `+${number} %` : `${number} %`.replace("-", "−");
}
