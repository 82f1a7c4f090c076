// Parser of custom decks (docs/decks.md): the subset of TOML that decks use.

/**
 * The cards of a deck: a list of objects with the entries of each `[[cards]]`.
 * @param {string} text
 * @returns {Array<Object<string, *>>}
 * @throws {SyntaxError} if the text is not such a deck
 */
export function readCards(text) {
  const reader = new Reader(text);
  /** @type {{[name: string]: any}} */
  const top = {};
  let table = top;
  while (reader.next() !== undefined) {
    if (reader.take("[[")) {
      reader.want("cards");
      reader.want("]]");
      table = {};
      top.cards ??= [];
      top.cards.push(table);
    } else {
      const key = reader.key();
      reader.want("=");
      table[key] = reader.value();
    }
  }
  if (!Array.isArray(top.cards)) throw new SyntaxError("a deck needs [[cards]]");
  return top.cards;
}

const TOKEN =
  /\s+|#[^\n]*|"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\[\[|\]\]|[[\]{},=]|[^\s#"'[\]{},=]+/gy;
const BLANK = /^(?:\s|#)/;

class Reader {
  /** @param {string} text */
  constructor(text) {
    /** @type {string[]} the next one last */
    this.tokens = [];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
      const found = TOKEN.exec(text);
      if (!found) throw new SyntaxError("this deck cannot be read");
      if (!BLANK.test(found[0])) this.tokens.push(found[0]);
    }
    this.tokens.reverse();
  }

  next() {
    return this.tokens.at(-1);
  }

  /** @param {string} token */
  take(token) {
    if (this.next() !== token) return false;
    this.tokens.pop();
    return true;
  }

  /** @param {string} token */
  want(token) {
    if (!this.take(token)) throw new SyntaxError(`${token} is missing in this deck`);
  }

  key() {
    const token = this.tokens.pop() ?? "";
    return /^["']/.test(token) ? token.slice(1, -1) : token;
  }

  /** @returns {any} */
  value() {
    for (const pair of ["[[", "]]"]) {
      if (this.take(pair)) this.tokens.push(pair[0], pair[0]); // brackets of nested lists, not of a table
    }
    if (this.take("[")) return this.list();
    if (this.take("{")) return this.inlineTable();
    const token = this.tokens.pop() ?? "";
    if (/^("""|''')/.test(token)) return token.slice(3, -3);
    if (token.startsWith('"')) return JSON.parse(token);
    if (token.startsWith("'")) return token.slice(1, -1);
    const number = Number(token.replaceAll("_", ""));
    if (!token || Number.isNaN(number)) throw new SyntaxError("this deck cannot be read");
    return number;
  }

  list() {
    const values = [];
    for (;;) {
      if (this.take("]]")) this.tokens.push("]", "]");
      if (this.take("]")) return values;
      values.push(this.value());
      this.take(",");
    }
  }

  inlineTable() {
    /** @type {{[name: string]: any}} */
    const table = {};
    while (!this.take("}")) {
      const key = this.key();
      this.want("=");
      table[key] = this.value();
      this.take(",");
    }
    return table;
  }
}
