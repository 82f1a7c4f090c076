// Answers one message over its socket in capitals, after some work with threads, timers, files and memory.
const fs = require("fs");
const net = require("net");
const { Worker } = require("worker_threads");

const worker = new Worker("require('worker_threads').parentPort.postMessage(6 * 7)", { eval: true });
worker.on("message", () => {
  fs.readFile(__filename, () => {
    let strings = [];
    for (let n = 0; n < 200000; n++) strings.push("number " + n);
    strings = null;
    setTimeout(() => {
      const socket = net.connect(process.env.BEANLEAGUE_SOCKET.replace(/^unix:/, ""));
      socket.on("data", (data) => socket.end(data.toString().toUpperCase()));
    }, 10);
  });
});
