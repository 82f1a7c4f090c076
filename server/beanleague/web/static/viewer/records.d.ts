// A record as the viewer reads it: docs/records.md, and what the engine asked, in words too (web/viewer.py).

/* What the classes of the games say; to bring it up to date: make generated
[[[cog
import cog
import viewer_types
cog.outl(viewer_types.text())
]]] */
export type Kind = "cocoa" | "garden" | "red" | "black_eyed" | "soy" | "green" | "stink" | "chili" | "blue" | "wax" | "coffee" | "china";
export type Family = "bohnanza" | "two" | "duel" | "dice";
export type Decision = "answer" | "answer_gift" | "discard_bohnus" | "discard_hand" | "drawn_bohnus" | "give" | "harvest" | "interlude" | "lose" | "offer_gift" | "pick" | "plant_aside" | "plant_drawn" | "plant_first" | "plant_gift" | "plant_offered" | "plant_second" | "plant_turned" | "save" | "trade";

/** Per event: what it has besides its name. */
export interface Events {
  dealt: { seat: number; count: number; cards: Kind[] };
  drew: { seat: number; count: number; cards: Kind[] };
  field_bought: { seat: number; price: number; discarded: Kind[] };
  game_ended: { dollars: number[]; places: number[] };
  harvested: { seat: number; field: number; kind: Kind; cards: number; dollars: number };
  passed: { seat: number };
  planted: { seat: number; field: number; kind: Kind; source: "hand" | "aside" | "open" | "turned" | "gift"; position: number };
  ran_out: { time: number };
  shuffled: { number: number; cards: number };
  turn_started: { turn: number; seat: number };
  turned_over: { seat: number; cards: Kind[] };
  answered: { seat: number; answer: "accept" | "decline" | "counter"; hand: number[]; gives: Kind[]; turned: number[]; wants: Kind[] };
  offered: { seat: number; to: number[]; turned: number[]; hand: number[]; gives: Kind[]; wants: Kind[] };
  refused: { seat: number };
  traded: { seat: number; partner: number; turned: number[]; hand: number[]; gives: Kind[]; partner_hand: number[]; receives: Kind[] };
  trading_ended: { seat: number; left: Kind[] };
  hand_discarded: { seat: number; position: number; kind: Kind };
  joined: { seat: number; cards: Kind[] };
  open_discarded: { seat: number; position: number; kind: Kind };
  bluff_paid: { seat: number; dollars: number; bohnus: number[] };
  bohnus_discarded: { seat: number; card: number };
  bohnus_drawn: { seat: number; count: number; cards: number[] };
  bohnus_shuffled: { number: number; cards: number };
  column_harvested: { seat: number; field: number; cards: Kind[]; dollars: number };
  duel_ended: { cents: number[]; places: number[] };
  first_dollars: { seat: number; count: number; cards: Kind[] };
  fulfilled: { seat: number; card: number; owner: number; field: number };
  gift_accepted: { seat: number };
  gift_declined: { seat: number };
  gift_given: { seat: number; kind: Kind; source: "hand" | "turned"; position: number };
  gift_offered: { seat: number; kind: Kind };
  turned_discarded: { seat: number; position: number; kind: Kind };
  card_drawn: { seat: number; card: number };
  card_harvested: { seat: number; card: number; completed: number; dollars: number };
  card_stolen: { card: number; order: number; bottom: boolean; dollars: number };
  deck_renewed: { seat: number; number: number; cards: number[] };
  die_stolen: { die: number };
  dollars_drawn: { seat: number; count: number; cards: number[] };
  orders_completed: { seat: number; orders: number; completed: number };
  rolled: { seat: number; roll: number; dice: number[]; kinds: Kind[]; again: boolean };
  saved: { seat: number; dice: number[] };
  solo_ended: { dollars: number; thief: number; won: boolean };
  super_steal_rolled: { kinds: Kind[] };
  thief_rolled: { dice: number[]; kinds: Kind[] };
}

/** Per action: what it has besides its name. */
export interface Actions {
  buy_field: {};
  harvest: { field: number };
  pass: {};
  plant: { field: number };
  accept: { hand: number[] };
  call: { to: number[] };
  counter: { hand: number[]; turned: number[]; wants: Kind[] };
  decline: {};
  offer: { to: number[]; turned: number[]; hand: number[]; wants: Kind[] };
  pick: { partner: number; hand: number[] };
  plant_aside: { card: number; field: number };
  refuse: {};
  stop: {};
  discard_hand: { card: number };
  discard_open: { card: number };
  plant_open: { card: number; field: number };
  accept_gift: {};
  decline_gift: {};
  discard_bohnus: { card: number };
  discard_turned: { card: number };
  fulfil: { card: number; owner: number; field: number };
  give: { source: "hand" | "turned"; position: number };
  offer_gift: { kind: Kind };
  plant_gift: { field: number };
  plant_turned: { card: number; field: number };
  harvest_top: {};
  lose_die: { die: number };
  roll_again: {};
  save: { dice: number[] };
}

/** Per family: the names of its own events, besides those of the core. */
export interface OwnEvents {
  bohnanza: "answered" | "offered" | "refused" | "traded" | "trading_ended";
  two: "hand_discarded" | "joined" | "open_discarded";
  duel: "bluff_paid" | "bohnus_discarded" | "bohnus_drawn" | "bohnus_shuffled" | "column_harvested" | "duel_ended" | "first_dollars" | "fulfilled" | "gift_accepted" | "gift_declined" | "gift_given" | "gift_offered" | "turned_discarded";
  dice: "card_drawn" | "card_harvested" | "card_stolen" | "deck_renewed" | "die_stolen" | "dollars_drawn" | "orders_completed" | "rolled" | "saved" | "solo_ended" | "super_steal_rolled" | "thief_rolled";
}

export interface Fault { seat: number; move: number; kind: string; reason: string; forfeited: boolean }
/* [[[end]]] */

/** An event, as in a record or as a seat saw it. */
export type Event = { [Name in keyof Events]: { event: Name } & Events[Name] }[keyof Events];

/** An action, as in a record or as a server offers it. */
export type Action = { [Name in keyof Actions]: { action: Name } & Actions[Name] }[keyof Actions];

/** A move: an action of a seat; `default`: played in its place. */
export type Move = Action & { seat: number; default?: boolean };

export interface Record {
  ruleset: string;
  seats: number;
  options: { [name: string]: string | number | number[] };
  players: string[];
  moves: Move[];
  events: Event[];
  scores: number[];
  places: number[];
  faults: Fault[];
  ms: number[];
  /** The decision before each move; not there if the rules do not give the events. */
  asked?: Decision[];
  /** The number of events between the decision before and that of each move; there if `asked` is. */
  happened?: number[];
  /** Not there if there is no such game. */
  words?: RecordWords;
}

/** A value in a slot of a sentence. */
export type Value = number | string | (number | string)[];

/** The number of a sentence, and the values of those slots that have no field of their name. */
export type Phrase = number | [number, { [name: string]: Value }];

/** Sentences (games/core/words.py), and which of them say what. */
export interface RecordWords {
  texts: string[];
  /** By the names of events: their phrases in order, or one for all of them. */
  lines: { [event: string]: number | Phrase[] };
  /** Of each fault. */
  faults: Phrase[];
  /** By the names of actions, as the lines; there if `asked` is. */
  did?: { [action: string]: number | Phrase[] };
  /** What each decision asks; there if `asked` is. */
  asks?: { [decision: string]: string };
  /** The texts of cards that have one. */
  cards?: string[];
}

/** A part of a sentence. */
export type Part = string | { seat: number } | { kinds: string[] } | { money: string };

/** What events do to a table, by their names. */
export type Handlers<Table, Rules, Name extends keyof Events = keyof Events> = {
  [Each in Name]: (table: Table, event: Events[Each], rules: Rules) => void;
};

/** What the events of a family do: all of its own, and those of the core that it uses. */
export type FamilyHandlers<Name extends Family, Table, Rules> = Handlers<Table, Rules, OwnEvents[Name]> &
  Partial<Handlers<Table, Rules>>;
