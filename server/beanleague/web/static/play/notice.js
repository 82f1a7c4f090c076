// Notice of one's turn, for those who look elsewhere: the title of the page, and a quiet sound if it is wanted.

import { h } from "../viewer/draw/dom.js";

const KEPT = "play-sound"; // in the browser, for all tables
const TONES_HZ = [523, 659];
const TONE_S = 0.12;
const LOUDNESS = 0.04; // of 1

export class Notice {
  constructor() {
    this.away = document.title;
    /** @type {AudioContext|undefined} made for the first sound */
    this.audio = undefined;
    const box = h("input", { type: "checkbox", checked: kept() });
    box.addEventListener("change", () => {
      keep(box.checked);
      if (box.checked) this.sound(); // an example; browsers allow sounds only after a click
    });
    this.box = /** @type {HTMLInputElement} */ (box);
    this.element = h("p.play-habit", {}, h("label", {}, box, " A quiet sound when it is my turn"));
  }

  /** @param {boolean} waited whether others have acted since one's last move */
  asked(waited) {
    document.title = `Your turn · ${this.away}`;
    if (waited && this.box.checked) this.sound();
  }

  /** Show that there is nothing to decide. */
  rest() {
    document.title = this.away;
  }

  sound() {
    const audio = this.audio ?? new AudioContext();
    this.audio = audio;
    const start = audio.currentTime;
    for (const [i, hertz] of TONES_HZ.entries()) {
      const tone = new OscillatorNode(audio, { frequency: hertz });
      const gain = new GainNode(audio, { gain: 0 });
      const from = start + i * TONE_S;
      gain.gain.setValueAtTime(0, from);
      gain.gain.linearRampToValueAtTime(LOUDNESS, from + TONE_S / 4);
      gain.gain.linearRampToValueAtTime(0, from + TONE_S);
      tone.connect(gain).connect(audio.destination);
      tone.start(from);
      tone.stop(from + TONE_S);
    }
  }
}

function kept() {
  try {
    return localStorage.getItem(KEPT) === "on";
  } catch {
    return false; // the browser keeps nothing for this site
  }
}

/** @param {boolean} on */
function keep(on) {
  try {
    localStorage.setItem(KEPT, on ? "on" : "off");
  } catch {
    // it holds for this page
  }
}
