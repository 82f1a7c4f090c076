// Addresses of pages. A site that shares its host with others has a common path prefix.

/** The path of a page on its host. @param {string} path without the prefix, e.g. "/matches/spring/1.0" */
export function address(path) {
  return `${document.documentElement.dataset.root ?? ""}${path}`;
}
