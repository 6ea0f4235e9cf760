/** The topics of `svc help <topic>`, as Markdown. They are manual pages too. */
import { features } from '../api/features.ts';
import type { ProgramFlag } from '../spec/flag.ts';
import { upperFirst } from '../spec/names.ts';
import { type Resource, type ResourceCalls, resourceLimits, scopeOf } from '../spec/resource.ts';
import { withNotes } from './descriptions.ts';
import { type Flag, flagTerm, groupTitles, programFlag } from './flags.ts';
import type { Program } from './model.ts';
import agents from './topics/agents.md' with { type: 'text' };
import ci from './topics/ci.md' with { type: 'text' };
import environment from './topics/config.md' with { type: 'text' };
import exitCodes from './topics/exit-codes.md' with { type: 'text' };
import flags from './topics/flags.md' with { type: 'text' };
import output from './topics/output.md' with { type: 'text' };
import resources from './topics/resources.md' with { type: 'text' };
import sandbox from './topics/sandbox.md' with { type: 'text' };
import scripting from './topics/scripting.md' with { type: 'text' };

const texts = {
  flags,
  environment,
  output,
  'exit-codes': exitCodes,
  scripting,
  agents,
  ci,
  resources,
  sandbox,
};

export const topics = Object.entries(texts).map(([name, text]) => {
  return { name, text, summary: upperFirst(/: (.*)/.exec(text)?.[1] ?? '') };
});

interface TopicInput extends Program {
  readonly resources: readonly Resource[];
  readonly sandbox: readonly Block[];
}

/** Read the page of a topic. The name of a failure in double braces becomes its exit code. */
export function topicPage({ text }: { readonly text: string }, input: TopicInput): Page {
  const codes = new Map(input.exitMeanings.map(([code, , kind]) => [kind, code]));
  const markdown = text.replace(/\{\{(\w+)\}\}/g, (_, kind: string) => String(codes.get(kind)));
  return parsePage(markdown, includesOf(input));
}

function includesOf(input: TopicInput): Includes {
  return {
    flags: flagBlocks(input.programFlags),
    settings: input.settings.map(({ name, description, sources }) => ({
      term: name,
      text: `${description}.`,
      below: [`Sources: ${sources.join('; ')}.`],
    })),
    'pipeline-settings': input.settings.flatMap(({ name, pipeline }) =>
      pipeline === undefined ? [] : [{ term: name, text: `${pipeline}.` }],
    ),
    'exit-codes': exitCodeBlocks(input),
    kinds: input.resources.map(kindBlock),
    features: features.map(({ name, doc }) => ({ term: name, text: `${doc}.` })),
    'sandbox-commands': input.sandbox,
  };
}

function exitCodeBlocks({ exitMeanings }: Program): Block[] {
  return exitMeanings.map(([code, meaning, kind]) => {
    const name = kind === undefined ? '' : ` Kind in a JSON error: ${kind}.`;
    return { term: String(code), text: `${upperFirst(meaning)}.${name}` };
  });
}

function flagBlocks(flags: readonly ProgramFlag[]): Block[] {
  return Object.entries(groupTitles).flatMap(([group, title]) => {
    const members = flags.filter((flag) => flag.group === group);
    return [{ title }, ...members.map(programFlag).map(flagBlock)];
  });
}

export function flagBlock(flag: Flag): Block {
  return { term: flagTerm(flag), text: `${withNotes(flag.doc, flag.notes)}.`, below: flag.keys };
}

function kindBlock(resource: Resource): Block {
  const { kind, identity, calls } = resource;
  const scopes = calls.map(scopeOf).join(', ');
  const key =
    identity.length > 0
      ? `Identified by ${identity.map((names) => names.join(' and ')).join(', or ')}`
      : 'Exists once';
  const attributes = `Attributes: ${Object.keys(resource.attributes).join(', ')}.`;
  return { term: kind, text: `For: ${scopes}. ${key}.`, below: [attributes, ...limitLines(resource, calls)] };
}

/** One line for limits that all scopes share, otherwise one per scope. */
function limitLines(resource: Resource, calls: readonly ResourceCalls[]): string[] {
  const lines = calls.map((some) => ({
    scope: scopeOf(some),
    limits: resourceLimits(resource, some).join('; '),
  }));
  const [first] = lines;
  if (first && lines.every(({ limits }) => limits === first.limits))
    return first.limits === '' ? [] : [`Limits: ${first.limits}.`];
  return lines
    .filter(({ limits }) => limits !== '')
    .map(({ scope, limits }) => `Limits in a ${scope}: ${limits}.`);
}

/** Pages of running text, which the manual and `svc help <topic>` show. */

/** A block of a page. Texts are plain; the formatter escapes them. */
export type Block =
  | { readonly text: string }
  | { readonly title: string }
  | { readonly term: string; readonly text: string; readonly below?: readonly string[] | undefined }
  | { readonly lines: readonly string[] };

export interface Page {
  /** `svc-jobs` */
  readonly name: string;
  readonly section: number;
  /** One line, no full stop. */
  readonly summary: string;
  readonly sections: readonly { readonly title: string; readonly blocks: readonly Block[] }[];
}

/** Blocks for the lines `<!-- name -->` of a page. */
export type Includes = Readonly<Record<string, readonly Block[]>>;

/**
 * Read a page in the part of Markdown that topics use: `# svc-jobs(1): summary`, `## Section`, paragraphs of one line each, fenced lines,
 * and terms as "- `term`: text". The text before the first section is the description.
 */
function parsePage(markdown: string, includes: Includes): Page {
  const [title = '', ...lines] = markdown.split('\n');
  const [, name = '', section = '', summary = ''] = /^# (\S+)\((\d)\): (.*)$/.exec(title) ?? [];
  const sections: { title: string; blocks: Block[] }[] = [{ title: 'Description', blocks: [] }];
  let fenced: string[] | undefined;
  for (const line of lines) {
    const blocks = sections.at(-1)?.blocks ?? [];
    const [, heading] = /^## (.*)$/.exec(line) ?? [];
    const [, included] = /^<!-- (.*) -->$/.exec(line) ?? [];
    if (line === '```') {
      if (fenced) blocks.push({ lines: fenced });
      fenced = fenced ? undefined : [];
    } else if (fenced) fenced.push(line);
    else if (heading !== undefined) sections.push({ title: heading, blocks: [] });
    else if (included !== undefined) blocks.push(...(includes[included] ?? []));
    else if (line !== '') blocks.push(blockOf(line));
  }
  return {
    name,
    section: Number(section),
    summary,
    sections: sections.filter(({ blocks }) => blocks.length > 0),
  };
}

function blockOf(line: string): Block {
  const text = line.replaceAll('&nbsp;', '\u00a0');
  const [, term, description] = /^- `([^`]+)`: (.*)$/.exec(text) ?? [];
  return term === undefined || description === undefined ? { text } : { term, text: description };
}
