// Runs the commands of docs/pictures.json in the sandbox on a terminal, and draws them with their output as pictures in docs/public.
// `--check` writes nothing and exits with 1 if a file differs.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const width = 92;
const pictures = JSON.parse(readFileSync(join(root, 'docs/pictures.json'), 'utf8'));

/** The progress indicator, which only a slow machine shows, and movements of the cursor. */
const motion =
  /(\x1b\[\?2026h[^\n]*?\x1b\[\?2026l)+(\x1b\[1G|\x1b\[0K)*|\x1b\[[?\d;]*[A-LN-Za-ln-z]|\r(?!\n)/g;
/** Texts that differ between two runs, and their replacements in the pictures. */
const passing = [
  [/(?<= running {2})\d+m\d+s/g, '6m20s'],
  [/(?<=jobs read, \S+ to )\d{4}-\d\d-\d\d/g, '2026-11-26'],
  [/(?<=main\b.* {2}running\b.*)\d{4}-\d\d-\d\d \d\d:\d\d/g, '2026-11-26 09:15'],
  [/\d+(?= days left)/g, '275'],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'https://host.example'],
  [/127\.0\.0\.1:\d+/g, 'host.example'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '6f93d816-4a6e-4dc1-b0d3-adc63d137806'],
  [/\/\S+\/svc-record-\w+/g, '/home/you'],
];

/** Run commands on a terminal, one after the other in one sandbox, and return their output. A prompt of the first one gets the input. */
function run({ commands, setup = ':', input }) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-record-'));
  try {
    mkdirSync(join(folder, 'bin'));
    const program = join(folder, 'bin/svc');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin/svc.js')}' "$@"\n`);
    chmodSync(program, 0o755);
    commands.forEach((command, index) => {
      writeFileSync(join(folder, `${index}.sh`), `stty cols ${width} rows 40\n${command}\n`);
    });
    const typing =
      input === undefined
        ? ':'
        : `[ $1 != 0 ] || { until grep -qs hidden 0.out || [ $((++tries)) -gt 100 ]; do sleep 0.1; done; echo ${input}; }`;
    const script = `${setup}\ntype() { ${typing}; }\nfor at in ${commands.map((_, index) => index).join(' ')}; do type $at | script -qfec "bash $at.sh" /dev/null > "$at.out" || true; done`;
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
      passing.reduce(
        (text, [pattern, constant]) => text.replace(pattern, constant),
        readFileSync(join(folder, `${index}.out`), 'utf8').replace(motion, ''),
      ),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A command without the parts that only the picture needs. */
const shownLine = (line) => line.replace(/^.*; (timeout .*? (?=svc))?/, '').replace('$URL', 'host.example');

/** Break a line where the terminal does. */
function wrapped(line) {
  const rows = [''];
  let column = 0;
  for (const [part] of line.matchAll(/\x1b\[[\d;]*m|[^\x1b]/gu)) {
    if (!part.startsWith('\x1b') && column++ === width) {
      rows.push('');
      column = 1;
    }
    rows[rows.length - 1] += part;
  }
  return rows;
}

/** Return the rows of the screen, each command before its output, as runs of cells with the same style. */
function rowsOf(commands, outputs) {
  const style = { bold: '', dim: '', color: '' };
  const lines = commands.flatMap((line, index) => [
    ...(index > 0 ? [''] : []),
    `\x1b[2m$\x1b[22m \x1b[1m${shownLine(line)}\x1b[22m`,
    ...outputs[index].split('\r\n').slice(0, -1),
  ]);
  return lines.flatMap(wrapped).map((line) => runsOf(line, style));
}

function runsOf(line, style) {
  const runs = [];
  let start = 0;
  // Each text after a sequence that selects a style.
  for (const [, codes, cells] of line.matchAll(/(?:\x1b\[([\d;]*)m)?([^\x1b]*)/g)) {
    for (const code of codes?.split(';').map(Number) ?? []) {
      if (code === 1) style.bold = 'b';
      else if (code === 2) style.dim = 'd';
      else if (code >= 30 && code <= 37) style.color = `c${code - 30}`;
      else if (code >= 90 && code <= 97) style.color = `c${code - 82}`;
      if (code === 22 || code === 0) Object.assign(style, { bold: '', dim: '' });
      if (code === 39 || code === 0) style.color = '';
    }
    const text = cells.trim();
    const left = cells.length - cells.trimStart().length;
    const name = Object.values(style).filter(Boolean).join(' ');
    if (text !== '') runs.push({ name, text, start: start + left });
    start += cells.length;
  }
  return runs;
}

const escapeText = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function svgOf(rows, label) {
  const [cellWidth, lineHeight, margin, bar] = [8.4, 20, 18, 34];
  const [right, bottom] = [
    Math.round(width * cellWidth + 2 * margin),
    rows.length * lineHeight + bar + margin,
  ];
  const texts = rows.flatMap((runs, y) =>
    runs.map(({ name, text, start }) => {
      const place = `x="${(margin + start * cellWidth).toFixed(1)}" y="${bar + (y + 1) * lineHeight - 5}"`;
      // Every character of the session is one cell wide.
      const size = `textLength="${([...text].length * cellWidth).toFixed(1)}"`;
      return `<text ${place} ${size}${name === '' ? '' : ` class="${name}"`}>${escapeText(text)}</text>`;
    }),
  );
  const dots = [0, 1, 2].map(
    (index) => `<circle cx="${margin + 6 + index * 18}" cy="17" r="5" class="dot"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${right} ${bottom}" width="${right}" height="${bottom}" role="img" aria-label="${label}">
<style>
svg{--back:#fff;--line:#d0d7de;--text:#1f2328;--c1:#cf222e;--c2:#116329;--c3:#7d4e00;--c4:#0550ae;--c5:#8250df;--c6:#1b7c83;--c8:#6e7781}
@media (prefers-color-scheme:dark){svg{--back:#0d1117;--line:#30363d;--text:#e6edf3;--c1:#ff7b72;--c2:#3fb950;--c3:#d29922;--c4:#58a6ff;--c5:#bc8cff;--c6:#39c5cf;--c8:#8b949e}}
rect{fill:var(--back);stroke:var(--line)}
.dot{fill:var(--line)}
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--text);white-space:pre}
.b{font-weight:700}
.d{opacity:.65}
${[1, 2, 3, 4, 5, 6, 8].map((color) => `.c${color}{fill:var(--c${color})}`).join('')}
</style>
<rect x=".5" y=".5" width="${right - 1}" height="${bottom - 1}" rx="8"/>
${dots.join('')}
${texts.join('\n')}
</svg>
`;
}

for (const [name, picture] of Object.entries(pictures)) {
  const path = join(root, `docs/public/${name}.svg`);
  const drawing = svgOf(rowsOf(picture.commands, run(picture)), picture.label);
  if (!process.argv.includes('--check')) writeFileSync(path, drawing);
  else if (readFileSync(path, 'utf8') !== drawing) {
    console.error(`${path} differs: run npm run examples`);
    process.exitCode = 1;
  }
}
