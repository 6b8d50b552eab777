#!/usr/bin/env node
// Runs the program of this file's name from the package for this machine.
"use strict";

const { spawnSync } = require("node:child_process");
const path = require("node:path");

const program = path.basename(__filename, ".js");
const machine = `gastown-${process.platform}-${process.arch}`;
let file;
try {
  file = require.resolve(`${machine}/bin/${program}`);
} catch {
  console.error(`Error: the package ${machine} is not installed: there may be no programs for this machine`);
  console.error("Hint: build them from source with `cargo install`");
  process.exit(1);
}
const ended = spawnSync(file, process.argv.slice(2), { stdio: "inherit" });
if (ended.error) {
  console.error(`Error: cannot run ${file}: ${ended.error.message}`);
  process.exit(1);
}
if (ended.signal) {
  process.kill(process.pid, ended.signal);
}
process.exit(ended.status);
