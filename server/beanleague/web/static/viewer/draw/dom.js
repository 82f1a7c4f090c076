// Elements from a tag, attributes and children. Text is always text: no string is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";
const CONTROLS = /[^\n\t\P{Cc}]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const MAX_TEXT = 20_000; // characters; strangers' texts may be endless

/** A text without control characters or changes of the writing direction, cut to `MAX_TEXT`. */
function shown(text) {
  return text.slice(0, MAX_TEXT).replace(CONTROLS, "\ufffd");
}

/**
 * An HTML element.
 * @param {string} tag with classes: "div.card.raised"
 * @param {Object<string, *>} [attributes] those that are null or false are left out; `on…` are listeners
 * @param {...(Node|string|number|null|Array)} children
 */
export function h(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  return dress(document.createElement(name), classes, attributes, children);
}

/** An SVG element; see `h`. */
export function svg(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  return dress(document.createElementNS(SVG, name), classes, attributes, children);
}

function dress(element, classes, attributes, children) {
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "title" || name.startsWith("aria-")) element.setAttribute(name, shown(String(value)));
    else element.setAttribute(name, value === true ? "" : value);
  }
  const real = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...real.map((child) => (typeof child === "string" ? shown(child) : child)));
  return element;
}

const KEYS = new WeakMap();

/**
 * Refill `element`, unless its contents would be the same as before.
 * @param {Element} element
 * @param {*} shown all that the children depend on
 * @param {() => (Node|string|Array|null)} build
 * @returns {boolean} whether it was filled anew
 */
export function fill(element, shown, build) {
  const key = JSON.stringify(shown);
  if (KEYS.get(element) === key) return false;
  KEYS.set(element, key);
  element.replaceChildren(...[build()].flat(Infinity).filter((child) => child !== null && child !== false));
  return true;
}
