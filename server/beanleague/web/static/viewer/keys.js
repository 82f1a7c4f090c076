// Keyboard commands.

/** Each key with its help text and the name of its command. */
export const KEYS = [
  { keys: ["ArrowRight"], shown: "→", command: "next", about: "next move" },
  { keys: ["ArrowLeft"], shown: "←", command: "previous", about: "previous move" },
  { keys: ["ArrowDown"], shown: "↓", command: "nextTurn", about: "next turn" },
  { keys: ["ArrowUp"], shown: "↑", command: "previousTurn", about: "previous turn" },
  { keys: ["t"], shown: "t", command: "nextTrade", about: "next trade" },
  { keys: ["T"], shown: "T", command: "previousTrade", about: "previous trade" },
  { keys: ["h"], shown: "h", command: "nextHarvest", about: "next harvest" },
  { keys: ["H"], shown: "H", command: "previousHarvest", about: "previous harvest" },
  { keys: ["f"], shown: "f", command: "nextFault", about: "next fault" },
  { keys: ["F"], shown: "F", command: "previousFault", about: "previous fault" },
  { keys: ["Home"], shown: "Home", command: "first", about: "the beginning" },
  { keys: ["End"], shown: "End", command: "last", about: "the end" },
  { keys: ["g"], shown: "g", command: "goTo", about: "go to a move" },
  { keys: [" "], shown: "Space", command: "play", about: "play and pause" },
  { keys: ["+", "="], shown: "+", command: "faster", about: "play faster" },
  { keys: ["-"], shown: "-", command: "slower", about: "play slower" },
  { keys: ["v"], shown: "v", command: "sight", about: "all hands, or what one seat saw" },
  { keys: ["?"], shown: "?", command: "help", about: "these keys" },
];

const COMMANDS = new Map(KEYS.flatMap(({ keys, command }) => keys.map((key) => [key, command])));
const TYPING = "input:not([type=range]), textarea, select, [contenteditable]";

/**
 * Run commands by keys, except while typing, on a button that uses the key, or in a dialog.
 * @param {Document} target
 * @param {Object<string, () => void>} commands
 * @returns {() => void} undoes it
 */
export function listen(target, commands) {
  const heard = (event) => {
    const command = COMMANDS.get(event.key);
    if (!command || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest?.(TYPING) || target.querySelector("dialog[open]")) return;
    if (event.key === " " && event.target.closest?.("button, a, summary")) return;
    event.preventDefault();
    commands[command]();
  };
  target.addEventListener("keydown", heard);
  return () => target.removeEventListener("keydown", heard);
}
