// Where pages of the site are. It may share its host with others, and then all its paths begin alike.

/** What a page is called on its host. @param {string} path as on a site with a host of its own, e.g. "/matches/spring/1.0" */
export function address(path) {
  return `${document.documentElement.dataset.root ?? ""}${path}`;
}
