#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`error: svc requires Node.js 20.19 or newer, not ${process.versions.node}`);
  process.exit(1);
}
require('../dist/start.js');
