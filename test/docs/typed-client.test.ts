/** Generates the typed client of docs/schema.md with the public generator, compiles it and runs it in a sandbox. */
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, expect, test } from 'vitest';
import { makeFolder, root } from './examples.ts';

const page = await readFile(join(root, 'docs/schema.md'), 'utf8');
const section = page.slice(page.indexOf('### A typed client in TypeScript'));

function block(language: string): string {
  const [, content] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(section) ?? [];
  if (content === undefined) throw new Error(`docs/schema.md has no block ${language} for the client`);
  return content;
}

const cwd = await makeFolder();
beforeAll(async () => {
  // In place of `npm init` and `npm install`, which need the network.
  await writeFile(join(cwd, 'package.json'), '{ "private": true, "type": "module" }\n');
  await symlink(join(root, 'node_modules'), join(cwd, 'node_modules'));
});

const bash = (script: string) =>
  execa('bash', ['-eu', '-c', script], {
    cwd,
    env: { PATH: `${join(cwd, 'bin')}:${process.env['PATH']}`, HOME: cwd, npm_config_offline: 'true' },
    extendEnv: false,
    reject: false,
    all: true,
  });

test('the client is generated, compiles and calls the sandbox', async () => {
  await writeFile(join(cwd, 'client.ts'), block('ts'));
  const { exitCode, stdout, all } = await bash(block('sh'));
  expect(exitCode, all).toBe(0);
  expect(`${stdout.split('\n').slice(-3).join('\n')}\n`).toBe(block('text'));

  const compile = /^npx tsc.*$/m.exec(block('sh'))?.[0] ?? '';
  const wrong = { "{ key: 'REGION'": "{ kez: 'REGION'", 'found.data.key': 'found.data.nokey' };
  for (const [right, misspelled] of Object.entries(wrong)) {
    await writeFile(join(cwd, 'client.ts'), block('ts').replace(right, misspelled));
    const compiled = await bash(compile);
    expect(compiled.exitCode, misspelled).not.toBe(0);
    expect(compiled.all).toMatch(/^client\.ts\(\d+,\d+\): error TS/m);
  }
});
