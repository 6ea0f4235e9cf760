/** `snippets create` and `update` from files on disk. */
import { basename } from 'node:path';
import type { Leaf } from '../cli/argv/command.ts';
import type { CommandLine } from '../cli/argv/parse.ts';
import type { Context } from '../cli/context.ts';
import type { Runner } from '../cli/overrides.ts';
import { usage } from '../errors.ts';
import { commandName } from '../spec/arguments.ts';
import type { Endpoint } from '../spec/endpoint.ts';
import { list, text } from '../spec/field.ts';

const flag = '--from-file';
const fromFile = list(
  text('Path', { placeholder: 'path' }),
  'A file on disk: its name and its text become a file of the snippet',
  { placeholder: 'path' },
);

const named = new Set(['create', 'update']);

const examples = {
  create: {
    does: 'From files on disk',
    run: 'snippets create --project acme/rocket --title Tools --from-file main.py --from-file notes.txt',
  },
  update: {
    does: 'Its files anew from disk',
    run: 'snippets update 52 --project acme/rocket --from-file main.py',
  },
};

/** The calls of the area; those that write also take files from disk. */
export function weave(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints.map((one) => {
    const name = commandName(one);
    if (!named.has(name)) return one;
    const { title, files, ...others } = one.takes;
    return {
      ...one,
      takes: {
        ...(title ? { title } : {}),
        from_file: fromFile,
        ...(files
          ? { files: files.required ? { ...files, orElse: [...(files.orElse ?? []), 'from_file'] } : files }
          : {}),
        ...others,
      },
      examples: [examples[name as keyof typeof examples], ...one.examples],
    };
  });
}

/** The call without what stands in the place of its files. */
function bare(leaf: Leaf): Leaf {
  const endpoints = leaf.endpoints.map((one) => {
    const { from_file: _, ...takes } = one.takes;
    return { ...one, takes };
  });
  return { ...leaf, endpoints };
}

/** Bytes of all files: they become one text of JSON, in which a byte takes up to six. */
const filesLimit = 64 * 1024 * 1024;

interface OnDisk {
  readonly file_path: string;
  readonly content: string;
}

/** @throws Failure `usage` for a file that can't be read, holds no text, or has the name of another */
async function readFiles(paths: readonly string[], context: Context): Promise<OnDisk[]> {
  const [{ createReader }, { decode }] = await Promise.all([
    import('../cli/argv/values.ts'),
    import('../support/bytes.ts'),
  ]);
  const reader = createReader(context, filesLimit);
  const seen = new Set<string>();
  const files: OnDisk[] = [];
  for (const path of paths) {
    const name = basename(path);
    if (path === '-')
      throw usage(
        `${flag} wants a path: standard input has no name`,
        'use --file file_path=<name>,content=-',
      );
    if (seen.has(name))
      throw usage(`${flag}: two files have the name ${name}`, 'use --file file_path=<path>,content=@<file>');
    seen.add(name);
    const bytes = await reader.bytes(path, flag);
    const content = decode(bytes);
    if (content === undefined)
      throw usage(`${flag}: ${path} is not UTF-8 text, and a snippet holds nothing else`);
    files.push({ file_path: name, content });
    if (bytes.length === 0) throw usage(`${flag}: ${path} is empty, and a file of a snippet is not`);
  }
  return files;
}

function withFiles(line: CommandLine, rows: readonly object[]): CommandLine {
  const { from_file: _, files, ...fields } = line.fields;
  // The whole list as JSON is one of the ways to give rows.
  const given = (files as readonly string[] | undefined) ?? [];
  return { ...line, fields: { ...fields, files: [...given, JSON.stringify(rows)] } };
}

const create: Runner = async (leaf, line, context) => {
  const { invoke } = await import('../cli/call/call.ts');
  const paths = line.fields['from_file'] as readonly string[] | undefined;
  return invoke(bare(leaf), paths ? withFiles(line, await readFiles(paths, context)) : line, context);
};

/** The paths of the files that a snippet has. */
async function pathsIn(leaf: Leaf, line: CommandLine, context: Context): Promise<Set<string>> {
  const [{ default: snippets }, { prepare }, { fetchWhole }] = await Promise.all([
    import('../api/snippets.ts'),
    import('../cli/request/validate.ts'),
    import('../cli/call/wait.ts'),
  ]);
  const endpoints = snippets.endpoints.filter((one) => commandName(one) === 'get');
  const { data: _, ...options } = line.options;
  const { session, endpoint, slots } = await prepare(
    { ...leaf, name: 'get', endpoints },
    { ...line, fields: {}, options },
    context,
  );
  try {
    const { files, file_name: only } = (await fetchWhole(session, endpoint, slots)).value;
    const rows = Array.isArray(files) ? (files as readonly { path?: unknown }[]) : [{ path: only }];
    return new Set(rows.map(({ path }) => String(path)));
  } finally {
    await session.close();
  }
}

/** A file that the snippet has is updated, and any other is made. */
const update: Runner = async (leaf, line, context) => {
  const { invoke } = await import('../cli/call/call.ts');
  const paths = line.fields['from_file'] as readonly string[] | undefined;
  if (!paths) return invoke(bare(leaf), line, context);
  const files = await readFiles(paths, context);
  const dry = line.options.dryRun === true || line.options.curl === true;
  const there = dry ? undefined : await pathsIn(leaf, line, context);
  const rows = files.map((file) => ({
    action: there && !there.has(file.file_path) ? 'create' : 'update',
    ...file,
  }));
  return invoke(bare(leaf), withFiles(line, rows), context);
};

export const runners = { create, update };
