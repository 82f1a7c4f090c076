// Live updates, paused on hidden pages. A browser has six connections to a host for all its pages: six pages with
// streams would block every other request.

/**
 * A source of server-sent events for htmx's extension, whose stream is closed while the page is hidden. A reopened
 * stream begins with the present state, so nothing is missed.
 */
class SeenSource {
  /** @param {string} url */
  constructor(url) {
    this.url = url;
    /** @type {EventSource|null} the stream, null while the page is hidden */
    this.source = null;
    /** @type {[string, EventListener][]} */
    this.listeners = [];
    /** @type {((event: Event) => void)|null} */
    this.onopen = null;
    /** @type {((event: Event) => void)|null} */
    this.onerror = null;
    this.ended = false;
    this.look = () => (document.hidden ? this.pause() : this.open());
    document.addEventListener("visibilitychange", this.look);
    this.look();
  }

  get readyState() {
    if (this.ended) return EventSource.CLOSED;
    return this.source ? this.source.readyState : EventSource.CONNECTING;
  }

  open() {
    if (this.source || this.ended) return;
    const source = new EventSource(this.url);
    for (const [type, listener] of this.listeners) source.addEventListener(type, listener);
    source.onopen = (event) => this.onopen?.(event);
    source.onerror = (event) => {
      if (source.readyState === EventSource.CLOSED) this.close(); // for good: htmx creates another one
      this.onerror?.(event);
    };
    this.source = source;
  }

  pause() {
    this.source?.close();
    this.source = null;
  }

  close() {
    this.ended = true;
    document.removeEventListener("visibilitychange", this.look);
    this.pause();
  }

  addEventListener(type, listener) {
    this.listeners.push([type, listener]);
    this.source?.addEventListener(type, listener);
  }

  removeEventListener(type, listener) {
    this.listeners = this.listeners.filter(([other, known]) => other !== type || known !== listener);
    this.source?.removeEventListener(type, listener);
  }
}

/** @type {any} */ (window).htmx.createEventSource = (url) => new SeenSource(url);
