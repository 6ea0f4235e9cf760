/** Reads a stream of `git fast-export`. */
import type { Entry, Objects, Signature } from './objects.ts';

interface Command {
  readonly name: string;
  readonly argument: string;
  readonly lines: Map<string, string[]>;
  data: Buffer;
}

function* commandsOf(stream: string): Generator<Command> {
  const bytes = Buffer.from(stream);
  let command: Command | undefined;
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at);
    const line = bytes.toString('utf8', at, end);
    at = end + 1;
    const [, word = '', rest = ''] = /^(\S*) ?(.*)$/.exec(line) ?? [];
    if (['blob', 'commit', 'reset', 'tag'].includes(word)) {
      if (command) yield command;
      command = { name: word, argument: rest, lines: new Map(), data: Buffer.alloc(0) };
    } else if (word === 'data' && command) {
      command.data = bytes.subarray(at, at + Number(rest));
      at += Number(rest);
    } else command?.lines.set(word, [...(command.lines.get(word) ?? []), rest]);
  }
  if (command) yield command;
}

function signatureOf(line = ''): Signature & { readonly time: Date } {
  const [, name = '', email = '', seconds] = /^(.*) <(.*)> (\d+) /.exec(line) ?? [];
  return { name, email, time: new Date(Number(seconds) * 1000) };
}

/** Write the objects and refs of a stream. @param objects an empty repository, or one with the blobs that the stream names by SHA */
export async function importStream(objects: Objects, stream: string): Promise<void> {
  const marks = new Map<string, string>();
  const shaOf = (name = ''): string => marks.get(name) ?? name;
  const refs = new Map<string, string>();
  for (const { name, argument, lines, data } of commandsOf(stream)) {
    const [from, mark = ''] = [lines.get('from')?.[0], lines.get('mark')?.[0]];
    if (name === 'blob') marks.set(mark, await objects.writeBlob(data));
    else if (name === 'reset' && from) refs.set(argument, shaOf(from));
    else if (name === 'tag') {
      const { time, ...tagger } = signatureOf(lines.get('tagger')?.[0]);
      // writeTag adds the last line feed.
      const message = data.toString().replace(/\n$/, '');
      const tag = await objects.writeTag(argument, shaOf(from), message, tagger, time);
      refs.set(`refs/tags/${argument}`, tag);
    } else if (name === 'commit') {
      const files = new Map<string, Entry | undefined>();
      for (const line of lines.get('M') ?? []) {
        const [, mode = '', blob, path = ''] = /^(\d+) (\S+) (.+)$/.exec(line) ?? [];
        files.set(path, { mode, oid: shaOf(blob), type: 'blob' });
      }
      for (const path of lines.get('D') ?? []) files.set(path, undefined);
      const parents = [...(from ? [from] : []), ...(lines.get('merge') ?? [])].map(shaOf);
      const before = parents[0] && (await objects.commitObject(parents[0])).tree;
      const tree = (await objects.rewrite(before, files)) ?? (await objects.writeTree(new Map()));
      const [author, committer] = ['author', 'committer'].map((by) => signatureOf(lines.get(by)?.[0]));
      if (!author || !committer) throw new Error('a commit without author');
      const commit = { tree, parents, message: data.toString(), author, committer, time: committer.time };
      const sha = await objects.writeCommit(commit);
      marks.set(mark, sha);
      refs.set(argument, sha);
    }
  }
  for (const [ref, sha] of refs) {
    const [, kind, ...path] = ref.split('/');
    await objects.writeRef(kind === 'tags' ? 'tags' : 'heads', path.join('/'), sha);
  }
}
