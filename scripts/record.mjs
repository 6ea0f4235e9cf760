// Records a terminal session in the sandbox as docs/public/session.cast (asciicast v2) and draws it as docs/public/session.svg.
// `--check` writes nothing and exits with 1 if a file differs. Times are constant, so the files change only with the output.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const width = 92;
const commands = [
  'svc jobs list --scope failed --limit 4 --fields id,status,name,stage,failure_reason',
  'svc variables set LOG_LEVEL debug --environment-scope staging',
  'svc variables list',
  `svc jobs list --all -o table --jq 'group_by(.stage)[] | {stage: .[0].stage, jobs: length}'`,
  'svc jobs lst',
];

/** The progress indicator, which only a slow machine shows. */
const progress = /(\x1b\[\?2026h[^\n]*?\x1b\[\?2026l)+(\x1b\[1G|\x1b\[0K)*/g;

/** Run the commands on a terminal, one after the other in one sandbox, and return their output. */
function run() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-record-'));
  try {
    mkdirSync(join(folder, 'bin'));
    const program = join(folder, 'bin/svc');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin/svc.js')}' "$@"\n`);
    chmodSync(program, 0o755);
    commands.forEach((command, index) => {
      writeFileSync(join(folder, `${index}.sh`), `stty cols ${width} rows 40\n${command}\n`);
    });
    const script = `for at in ${commands.map((_, index) => index).join(' ')}; do script -qec "bash $at.sh" /dev/null > "$at.out" || true; done`;
    execFileSync(program, ['sandbox', 'exec', '--', 'bash', '-c', script], {
      cwd: folder,
      env: {
        PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`,
        HOME: folder,
        LC_ALL: 'C.UTF-8',
        TERM: 'xterm-256color',
        SVC_PROJECT: 'acme/rocket',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return commands.map((_, index) =>
      readFileSync(join(folder, `${index}.out`), 'utf8').replace(progress, ''),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Return the events of the session: each command, then its output. */
function eventsOf(outputs) {
  const bold = (text) => `\x1b[1m${text}\x1b[22m`;
  return commands.flatMap((command, index) => {
    const seconds = (more) => Number((index * 1.1 + more).toFixed(1));
    const end = index === commands.length - 1 ? '' : '\r\n';
    return [
      [seconds(0), 'o', `\x1b[2m$\x1b[22m ${bold(command)}\r\n`],
      [seconds(0.5), 'o', outputs[index] + end],
    ];
  });
}

/** Return the rows of the screen. Each row has its time and its runs of cells with the same style. */
async function rowsOf(events) {
  // The packages of docs/ are installed by npm run docs.
  const { Terminal } = createRequire(join(root, 'docs/package.json'))('@xterm/headless');
  const terminal = new Terminal({ cols: width, rows: 100, allowProposedApi: true });
  const buffer = terminal.buffer.active;
  const rows = [];
  for (const [time, , data] of events) {
    await new Promise((resolve) => terminal.write(data, resolve));
    for (let y = rows.length; y < buffer.cursorY; y += 1)
      rows.push({ time, runs: runsOf(buffer.getLine(y)) });
  }
  return rows;
}

function runsOf(line) {
  const runs = [];
  for (let x = 0; x < line.length; x += 1) {
    const cell = line.getCell(x);
    if (cell.getWidth() === 0) continue;
    const style = [
      cell.isBold() ? 'b' : '',
      cell.isDim() ? 'd' : '',
      cell.isFgPalette() ? `c${cell.getFgColor()}` : '',
    ];
    const name = style.filter(Boolean).join(' ');
    const text = cell.getChars() || ' ';
    const last = runs.at(-1);
    if (last?.name === name && last.end === x)
      Object.assign(last, { text: last.text + text, end: x + cell.getWidth() });
    else runs.push({ name, text, start: x, end: x + cell.getWidth() });
  }
  return runs.filter(({ text }) => text.trim() !== '').map((one) => trimmed(one));
}

/** Remove spaces at the start and the end of a run. */
function trimmed({ name, text, start }) {
  const left = text.length - text.trimStart().length;
  return { name, text: text.trim(), start: start + left };
}

const escapeText = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function svgOf(rows) {
  const [cellWidth, lineHeight, margin, bar] = [8.4, 20, 18, 34];
  const [right, bottom] = [
    Math.round(width * cellWidth + 2 * margin),
    rows.length * lineHeight + bar + margin,
  ];
  const times = [...new Set(rows.map(({ time }) => time))];
  const groups = times.map((time) => {
    const lines = rows.flatMap((row, y) => {
      if (row.time !== time) return [];
      const at = bar + (y + 1) * lineHeight - 5;
      return row.runs.map(({ name, text, start }) => {
        const place = `x="${(margin + start * cellWidth).toFixed(1)}" y="${at}"`;
        const size = `textLength="${(cellCount(text) * cellWidth).toFixed(1)}"`;
        return `<text ${place} ${size}${name === '' ? '' : ` class="${name}"`}>${escapeText(text)}</text>`;
      });
    });
    return `<g style="animation-delay:${time}s">\n${lines.join('\n')}\n</g>`;
  });
  const dots = [0, 1, 2].map(
    (index) => `<circle cx="${margin + 6 + index * 18}" cy="17" r="5" class="dot"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${right} ${bottom}" width="${right}" height="${bottom}" role="img" aria-label="A terminal session with svc">
<style>
svg{--back:#fff;--line:#d0d7de;--text:#1f2328;--c1:#cf222e;--c2:#116329;--c3:#7d4e00;--c4:#0550ae;--c5:#8250df;--c6:#1b7c83;--c8:#6e7781}
@media (prefers-color-scheme:dark){svg{--back:#0d1117;--line:#30363d;--text:#e6edf3;--c1:#ff7b72;--c2:#3fb950;--c3:#d29922;--c4:#58a6ff;--c5:#bc8cff;--c6:#39c5cf;--c8:#8b949e}}
rect{fill:var(--back);stroke:var(--line)}
.dot{fill:var(--line)}
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--text);white-space:pre}
.b{font-weight:700}
.d{opacity:.65}
${[1, 2, 3, 4, 5, 6, 8].map((color) => `.c${color}{fill:var(--c${color})}`).join('')}
g{animation:show .01s both}
@keyframes show{from{opacity:0}to{opacity:1}}
@media (prefers-reduced-motion:reduce){g{animation:none}}
</style>
<rect x=".5" y=".5" width="${right - 1}" height="${bottom - 1}" rx="8"/>
${dots.join('')}
${groups.join('\n')}
</svg>
`;
}

/** Return the number of terminal cells. Every character of the session is one cell wide. */
const cellCount = (text) => [...text].length;

const events = eventsOf(run());
const rows = await rowsOf(events);
const header = { version: 2, width, height: rows.length, title: 'svc' };
const files = {
  'docs/public/session.cast': `${[header, ...events].map((one) => JSON.stringify(one)).join('\n')}\n`,
  'docs/public/session.svg': svgOf(rows),
};
for (const [path, content] of Object.entries(files)) {
  if (!process.argv.includes('--check')) writeFileSync(join(root, path), content);
  else if (readFileSync(join(root, path), 'utf8') !== content) {
    console.error(`${path} differs: run npm run examples`);
    process.exitCode = 1;
  }
}
