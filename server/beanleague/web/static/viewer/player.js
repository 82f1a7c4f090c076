// The position in a replay, and playing at a speed.

export const SPEEDS = [0.5, 1, 2, 4, 8, 16]; // moves a second

/** A position from 0 to `length`. Listeners of "move" get it with `detail.from`, those of "play" learn of speed and playing. */
export class Player extends EventTarget {
  constructor(length) {
    super();
    this.length = length;
    this.at = 0;
    this.speed = 2;
    this.playing = false;
    this.due = 0; // fraction of moves due, while playing
  }

  /** Go to the nearest existing position, and stop playing. */
  go(at) {
    this.stop();
    this.set(at);
  }

  set(at) {
    const from = this.at;
    this.at = Math.min(Math.max(Math.round(Number(at)) || 0, 0), this.length);
    if (this.at !== from) this.dispatchEvent(new CustomEvent("move", { detail: { from } }));
  }

  toggle() {
    if (this.playing) this.stop();
    else this.play();
  }

  play() {
    if (this.playing) return;
    if (this.at === this.length) this.set(0);
    this.playing = true;
    this.due = 0;
    let before = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      this.due += Math.min(1, (now - before) / 1000) * this.speed;
      before = now;
      const moves = Math.floor(this.due);
      this.due -= moves;
      if (moves > 0) this.set(this.at + moves);
      if (this.at === this.length) this.stop();
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    this.dispatchEvent(new Event("play"));
  }

  stop() {
    if (!this.playing) return;
    this.playing = false;
    this.dispatchEvent(new Event("play"));
  }

  /** Change to a higher or lower speed. */
  faster(steps) {
    const now = SPEEDS.indexOf(this.speed);
    this.speed = SPEEDS[Math.min(Math.max(now + steps, 0), SPEEDS.length - 1)];
    this.dispatchEvent(new Event("play"));
  }
}

/**
 * The next or previous of some positions.
 * @param {number[]} positions ascending
 * @param {number} at
 * @param {number} direction 1 or -1
 * @returns {number} `at` if it is the last
 */
export function neighbour(positions, at, direction) {
  const found = direction > 0 ? positions.find((one) => one > at) : positions.findLast((one) => one < at);
  return found ?? at;
}
