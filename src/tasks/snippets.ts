/** `snippets create` and `snippets update` from files on disk. */
import { basename } from 'node:path';
import { getSnippet } from '../api/snippets.ts';
import { usage } from '../errors.ts';
import { commandName } from '../spec/command.ts';
import type { Endpoint } from '../spec/endpoint.ts';
import { list, text } from '../spec/field.ts';
import { decode } from '../support/bytes.ts';
import type { Task, TaskContext } from './context.ts';

const flag = '--from-file';
const fromFile = list(
  text('Path', { placeholder: 'path' }),
  'File on disk whose name and text become a file of the snippet',
  { placeholder: 'path', local: true },
);

const examples: Readonly<Record<string, Endpoint['examples'][number]>> = {
  create: {
    does: 'From files on disk',
    run: 'snippets create --project acme/rocket --title Tools --from-file main.py --from-file notes.txt',
  },
  update: {
    does: 'Replace files from disk',
    run: 'snippets update 52 --project acme/rocket --from-file main.py',
  },
};

/** `create` and `update` accept files from disk. */
export function present(one: Endpoint): Endpoint {
  const example = examples[commandName(one)];
  if (!example) return one;
  const { title = fromFile, files = fromFile } = one.takes;
  const orElse = files.required ? { orElse: [...(files.orElse ?? []), 'from_file'] } : {};
  const takes = { title, from_file: fromFile, ...one.takes, files: { ...files, ...orElse } };
  return { ...one, takes, examples: [example, ...one.examples] };
}

/** Total bytes of all files. As JSON text, a byte takes up to six. */
const filesLimit = 64 * 1024 * 1024;

async function readFiles(task: TaskContext, paths: readonly string[]) {
  const seen = new Set<string>();
  let left = filesLimit;
  const files: { readonly file_path: string; readonly content: string }[] = [];
  for (const path of paths) {
    const name = basename(path);
    if (path === '-')
      throw usage(
        `${flag} requires a path, because standard input has no name`,
        'use --file file_path=<name>,content=-',
      );
    if (seen.has(name))
      throw usage(`${flag}: two files have the name ${name}`, 'use --file file_path=<path>,content=@<file>');
    seen.add(name);
    const bytes = await task.read(path, flag, left);
    left -= bytes.length;
    const content = decode(bytes);
    if (content === undefined) throw usage(`${flag}: ${path} is not UTF-8 text, which a snippet requires`);
    if (bytes.length === 0) throw usage(`${flag}: ${path} is empty, which a snippet does not allow`);
    files.push({ file_path: name, content });
  }
  return files;
}

async function pathsIn(task: TaskContext): Promise<Set<string>> {
  const { data: _, ...options } = task.line.options;
  const call = await task.prepare({ endpoints: [getSnippet], line: { fields: {}, options } });
  const { files, file_name: only } = (await task.call(call)).value;
  const rows: readonly { path?: unknown }[] = Array.isArray(files) ? files : [{ path: only }];
  return new Set(rows.map(({ path }) => String(path)));
}

/** `create` and `update`: send the files of `--from-file`, if it is given, with the others. */
const write: Task = async (task) => {
  const { line, command, dryRun } = task;
  const { from_file: paths, ...fields } = line.fields;
  const endpoints = command.endpoints.map((one) => {
    const { from_file: _, ...takes } = one.takes;
    return { ...one, takes };
  });
  if (fields['content'] !== undefined && (paths ?? fields['files']) !== undefined)
    throw usage(
      `--content cannot be used with --file or ${flag}`,
      'use --file file_path=<name>,content=<text>',
    );
  if (typeof paths !== 'object') return task.run(await task.prepare({ endpoints }));
  const read = await readFiles(task, paths);
  const isUpdate = command.name === 'update';
  const known = isUpdate && !dryRun ? await pathsIn(task) : undefined;
  const actionFor = (path: string) => (known && !known.has(path) ? 'create' : 'update');
  const rows = read.map((file) => (isUpdate ? { action: actionFor(file.file_path), ...file } : file));
  // A list of hashes also accepts a list as JSON.
  const { files = [] } = fields;
  const all = [...(typeof files === 'object' ? files : []), JSON.stringify(rows)];
  return task.run(await task.prepare({ endpoints, line: { fields: { ...fields, files: all } } }));
};

export const runners = { create: write, update: write };
