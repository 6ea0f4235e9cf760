/** Ask before something is ended or replaced (interface section 1). */
import { Failure, usage } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { masked } from '../../spec/mask.ts';
import type { Call } from '../../spec/request.ts';
import type { Session } from '../session/model.ts';
import { ask, canAsk, confirmed } from '../terminal/prompt.ts';

type Fact = readonly [name: string, value: string];

/** What the user types to confirm a severe command: the thing's own name. */
function nameOf(endpoint: Endpoint, slots: Readonly<Record<string, string>>): string {
  const last = Object.keys(endpoint.slots).at(-1);
  return (last === undefined ? slots['id'] : slots[last]) ?? '';
}

/** What a call is about, by the names of the API: its arguments, then what else was given, then its place. */
function subjectOf({ endpoint, slots, values }: Call): Fact[] {
  const things = Object.keys(endpoint.slots).map((name): Fact => [name, slots[name] ?? '']);
  const given = masked(values, endpoint.takes) as Readonly<Record<string, unknown>>;
  const place: Fact[] = endpoint.scope ? [[endpoint.scope.name, slots['id'] ?? '']] : [];
  return [...things, ...Object.entries(given).map(([name, value]): Fact => [name, textOf(value)]), ...place];
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, item]) => `${key}=${textOf(item)}`)
    .join(', ');
}

/** `host.example (profile work)` */
function hostOf({ settings, root }: Session): string {
  const { host } = new URL(root());
  if (settings.baseUrl?.from === '--sandbox') return `the sandbox (${host})`;
  return `${host}${settings.profile ? ` (profile ${settings.profile.value})` : ''}`;
}

/** The same in words: `KEY`, `project acme/rocket`. */
export function subjectWords(subject: Call): string[] {
  const { slots } = subject.endpoint;
  return subjectOf(subject).map(([name, value]) => (slots[name] ? value : `${name} ${value}`));
}

/** `Delete a variable: KEY, project acme/rocket, on host (profile work)` */
function sentence(session: Session, call: Call): string {
  const words = [...subjectWords(call), `on ${hostOf(session)}`];
  return `${call.endpoint.summary}: ${words.join(', ')}`;
}

/** The same for a person who is asked, a fact a line. */
function paragraph(session: Session, call: Call): string {
  const facts: Fact[] = [...subjectOf(call), ['on', hostOf(session)]];
  const widest = Math.max(...facts.map(([name]) => name.length)) + 1;
  const lines = facts.map(([name, value]) => `  ${`${name.replaceAll('_', ' ')}:`.padEnd(widest)} ${value}`);
  return `${[call.endpoint.summary, ...lines].join('\n')}\n`;
}

/**
 * @throws Failure `usage` where nobody can be asked and no flag says yes, or where the answer is no; nothing was sent
 */
export async function confirm(session: Session, call: Call): Promise<void> {
  const { endpoint, slots } = call;
  const { options, context, terminal } = session;
  const severe = endpoint.confirm === 'name';
  const name = nameOf(endpoint, slots);
  if (severe && options.confirm !== undefined) {
    if (options.confirm === name) return;
    throw usage(
      `--confirm ${JSON.stringify(options.confirm)} is not ${JSON.stringify(name)}; nothing was sent`,
    );
  }
  if (options.yes === true) return;
  if (!canAsk(context, options)) throw mustSay(session, call, severe ? `--confirm ${name}` : '--yes');
  context.stderr.write(terminal.clean(paragraph(session, call)));
  const agreed = severe
    ? (await ask(context, `Type ${terminal.clean(name)} to go on: `, { ended: '' })).trim() === name
    : await confirmed(context, 'Go on?');
  if (!agreed) throw new Failure('usage', 'not done; nothing was sent');
}

function mustSay(session: Session, call: Call, flag: string): Failure {
  return new Failure('usage', `this needs ${flag}, since nobody can be asked; nothing was sent`, {
    details: [sentence(session, call)],
  });
}
