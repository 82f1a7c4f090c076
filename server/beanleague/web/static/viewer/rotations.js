// The page of a deal: two games of a seat side by side, in step and turn by turn. <div data-deal='[{"match": "spring/1.0",
// "seat": 0, "player": "ann@1", "score": 9}, ...]'></div> lists the players by seat and rotation, and the page's
// address selects the games: ?bot=ann&against=ben&seat=2.

import { address } from "./address.js";
import { h } from "./draw/dom.js";
import { DRAWN } from "./draw/families.js";
import { asNodes } from "./log.js";
import { across, besides, compared, partedAt, turnsOf } from "./state/rotations.js";
import { mount } from "./viewer.js";

/**
 * @import { DealtSeat } from "./state/rotations.js"
 *
 * @typedef {object} Game one of the two games
 * @property {DealtSeat} dealt
 * @property {string[]} names per seat
 * @property {HTMLElement} stage element of its replay
 * @property {ReturnType<typeof mount>} replay
 */

async function show(element) {
  const asked = new URLSearchParams(location.search);
  const [bot, against, seat] = ["bot", "against", "seat"].map((name) => asked.get(name) ?? "");
  if (!bot) return;
  /** @type {DealtSeat[]} */
  const dealt = JSON.parse(element.dataset.deal);
  try {
    const pair = compared(dealt, bot, against, seat ? Number(seat) : undefined);
    if (!pair) throw new Error(`${bot} and ${against || "another bot"} did not have the same seat in this deal`);
    for (const { match, seat } of pair) cell(match, seat)?.classList.add("chosen");
    const records = await Promise.all(pair.map(({ match }) => fetched(match)));
    const games = pair.map((one, i) => game(one, dealt, records[i], i === 0));
    element.replaceChildren(...drawn(games, partedAt(records[0], records[1])).flat());
    element.dataset.ready = "yes";
  } catch (problem) {
    const { message } = /** @type {Error} */ (problem);
    element.replaceChildren(h("p.problem", { role: "alert" }, `These games cannot be shown: ${message}.`));
  }
}

/** The cell of a seat in the table of all rotations. */
function cell(match, seat) {
  return document.querySelector(`[data-match="${CSS.escape(match)}"] [data-seat="${seat}"]`);
}

async function fetched(match) {
  const answer = await fetch(address(`/matches/${match}/replay.json`), { headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(`the server says ${answer.status} of ${match}`);
  return answer.json();
}

/** @returns {Game} */
function game(dealt, all, record, keys) {
  const names = all.filter(({ match }) => match === dealt.match).map(({ player }) => player);
  const stage = h("div");
  const replay = mount(stage, record, { names, hash: false, keys });
  for (const part of stage.querySelectorAll("section[aria-label], aside[aria-label]")) {
    part.setAttribute("aria-label", `${part.getAttribute("aria-label")}, ${dealt.match}`); // there are two of each
  }
  return { dealt, names, stage, replay };
}

/** The two games, of which the first `parted` moves are the same; null: all of them. */
function drawn(games, parted) {
  const [own, other] = games;
  inStep(own.replay, other.replay, parted ?? Number.POSITIVE_INFINITY);
  own.replay.go(parted ?? 0);
  return [
    h("h2", {}, `Seat ${own.dealt.seat}: `, who(own), " and ", who(other)),
    h("p", {}, made(own), "; with the same cards ", made(other), "."),
    parted === null ? h("p", {}, "The two games are the same.") : partedText(games, parted),
    h("div.beside", { id: "beside" }, games.map(replay)),
    turnTable(games),
  ];
}

function who({ dealt }) {
  return h("bdi", {}, dealt.player);
}

function made(game) {
  const { timeline } = game.replay;
  return [who(game), " made ", h("b.num", {}, money(game, timeline.money[timeline.length][game.dealt.seat]))];
}

function money({ replay }, amount) {
  return DRAWN[replay.timeline.rules.family].moneyText(amount);
}

function replay({ dealt, stage }) {
  const link = h("a", { href: address(`/matches/${dealt.match}`) }, dealt.match);
  return h(
    "section",
    { "aria-label": `${dealt.player} in ${dealt.match}` },
    h("h3", {}, who({ dealt }), " in ", link),
    stage,
  );
}

/** The first different move, in both games. */
function partedText(games, parted) {
  const moves = games.map(({ dealt, names, replay }) => {
    const { timeline } = replay;
    const move = timeline.record.moves[parted];
    const caused = timeline.byMove ? timeline.events(parted + 1)[0] : undefined;
    const words = asNodes(timeline.words.move(parted, move, caused), names);
    return h("li", {}, `in ${dealt.match} `, h("bdi.bl-who", {}, names[move.seat]), ": ", words);
  });
  return [h("p", {}, `After move ${parted} the two games parted:`), h("ul", {}, moves)];
}

/** Keep two replays in step. */
function inStep(one, other, parted) {
  let led = false;
  for (const [leader, follower] of [
    [one, other],
    [other, one],
  ]) {
    const same = one.timeline.byMove && other.timeline.byMove ? parted : 0;
    leader.player.addEventListener("move", () => {
      if (led) return;
      led = true;
      follower.go(across(leader.timeline, leader.player.at, follower.timeline, follower.player.at, same));
      led = false;
    });
  }
}

function turnsIn({ replay, dealt }) {
  return turnsOf(replay.timeline, dealt.seat);
}

/** The actions of the seat in each turn of both games; the number of a turn moves both replays there. */
function turnTable(games) {
  const { timeline, player } = games[0].replay;
  const headings = games.map((game) => [
    h("th.right", { scope: "col" }, "Had"),
    h("th", { scope: "col" }, who(game), " in ", game.dealt.match.split("/").at(-1)),
  ]);
  const head = h("thead", {}, h("tr", {}, h("th.right", { scope: "col" }, "Turn"), headings));
  const pairs = besides(turnsIn(games[0]), turnsIn(games[1]));
  const rows = pairs.map((pair) => {
    const { turn } = pair[0];
    const go = () => player.go(timeline.turnOf.includes(turn) ? timeline.turnOf.indexOf(turn) : player.length);
    const link = h("a", { href: "#beside", "aria-label": `Turn ${turn} in both replays`, onclick: go }, turn);
    const cells = pair.map(({ money: had, done }, i) => [
      h("td.right", {}, money(games[i], had)),
      h(
        "td.wrap",
        {},
        done.map((line) => h("div", {}, asNodes(line, games[i].names))),
      ),
    ]);
    return h("tr", { "data-turn": turn }, h("th.right", { scope: "row" }, link), cells);
  });
  return h(
    "div.table.whole.turns",
    { tabindex: 0, role: "region", "aria-label": "Turn by turn" },
    h("table", {}, head, h("tbody", {}, rows)),
  );
}

document.querySelectorAll("[data-deal]").forEach(show);
