/** The shell examples of the documentation: their commands, and the output that the pages show below them. */
import { chmod, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { execa } from 'execa';
import { sharedFolder } from '../support/folders.ts';
import { command } from '../support/process.ts';

export const root = resolve(import.meta.dirname, '../..');

/** Return the pages of docs/ that are written by hand. */
export async function handWritten(): Promise<string[]> {
  const names = await readdir(join(root, 'docs'), { recursive: true });
  return names
    .filter((name) => name.endsWith('.md') && !/^(node_modules|\.vitepress|reference|decisions)\b/.test(name))
    .map((name) => `docs/${name}`)
    .sort();
}

export interface Example {
  readonly page: string;
  readonly line: number;
  readonly script: string;
  /** From the comment `<!-- exit code 5 -->` above the block. */
  readonly exitCode: number;
  /** The content of the `text` block that follows, or empty. */
  readonly output: string;
  /** The part of the page with the code block and its output. */
  readonly from: number;
  readonly to: number;
}

/** A code block, and the block of its output. A block after the comment `<!-- not run -->`, or that another test runs, is not an example. */
const block =
  /(?:^<!-- exit code (\d+) -->\n)?(?<!^<!-- (?:not run|test: \w+) -->\n)^```sh\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```\n)?/gm;

export async function examplesOf(page: string): Promise<Example[]> {
  const text = await readFile(join(root, page), 'utf8');
  return [...text.matchAll(block)].map((match) => {
    const [all, exit = '0', script = '', output = ''] = match;
    const line = text.slice(0, match.index).split('\n').length;
    const [from, to] = [match.index, match.index + all.length];
    return { page, line, script, output, exitCode: Number(exit), from, to };
  });
}

/** Write the output of each example into its page. */
export async function update(page: string, outputs: ReadonlyMap<Example, string>): Promise<void> {
  let text = await readFile(join(root, page), 'utf8');
  for (const [{ from, to, script, exitCode }, output] of [...outputs].sort(([a], [b]) => b.from - a.from)) {
    const expected = exitCode === 0 ? '' : `<!-- exit code ${exitCode} -->\n`;
    const code = `${expected}\`\`\`sh\n${script}\`\`\`\n`;
    const shown = output === '' ? '' : `\n\`\`\`text\n${output}\`\`\`\n`;
    text = text.slice(0, from) + code + shown + text.slice(to);
  }
  await writeFile(join(root, page), text);
}

/** Return a folder with a `svc` program, and a `npm` that installs nothing, which is removed after all tests. */
export async function makeFolder(): Promise<string> {
  const folder = sharedFolder();
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const programs = {
    svc: `exec ${command.map((word) => JSON.stringify(word)).join(' ')} "$@"`,
    npm: 'exit 0',
  };
  for (const [name, line] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${line}\n`);
    await chmod(join(bin, name), 0o755);
  }
  return folder;
}

/** Run a script with `svc sandbox exec` in a new folder. */
export async function run(folder: string, script: string, more: Readonly<Record<string, string>> = {}) {
  const cwd = await mkdtemp(join(folder, 'run-'));
  await mkdir(join(cwd, 'home'));
  const env = {
    PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`,
    HOME: join(cwd, 'home'),
    // Without compiled code, a start of the program takes half as long again.
    XDG_CACHE_HOME: join(folder, 'cache'),
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    ...more,
  };
  const words = ['sandbox', 'exec', '--', 'bash', '-eu', '-o', 'pipefail', '-c', script];
  return execa('svc', words, {
    cwd,
    env,
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: 120_000,
  });
}

/** Texts that differ between two runs, and the texts that the pages show instead. */
const constants: readonly (readonly [RegExp, string])[] = [
  [/\r/g, ''],
  [/http:\/\/127\.0\.0\.1:\d{4,5}/g, 'https://host.example'],
  [/127\.0\.0\.1:\d{4,5}/g, 'host.example'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '6f93d816-4a6e-4dc1-b0d3-adc63d137806'],
  [/uploads\/[0-9a-f]{32}/g, 'uploads/679b07876d574dd791db912af069d7f7'],
  [/\d{8}T\d{6}Z-[0-9a-f]{8}/g, '20260401T080000Z-5e884898'],
  [/\/\S+\/run-\w+(\/home\b)?/g, '/home/you'],
];

/** Run an example. Return its exit code and what a terminal would show. */
export async function runExample(folder: string, { script }: Example) {
  const { exitCode, stdout } = await run(folder, `exec 2>&1\n${script}`, { SVC_PROJECT: 'acme/rocket' });
  const shown = constants.reduce((text, [pattern, constant]) => text.replace(pattern, constant), stdout);
  return { exitCode, output: shown === '' ? '' : `${shown}\n` };
}
