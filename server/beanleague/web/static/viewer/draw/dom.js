// Elements from a tag, attributes and children. Text is always text: no string is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

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
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const KEYS = new WeakMap();

/**
 * Fill `element` anew, unless what it shows is the same as before.
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
