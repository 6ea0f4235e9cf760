/** Confirmation of destructive commands (interface section 1). */
import { Failure, usage } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { masked } from '../../spec/mask.ts';
import type { Call } from '../../spec/request.ts';
import { isRecord } from '../../support/record.ts';
import { shellQuote } from '../../support/shell.ts';
import type { Session } from '../session/model.ts';
import { ask, askYesNo, canPrompt } from '../terminal/prompt.ts';
import type { Preview } from './preview.ts';

type Fact = readonly [name: string, value: string];

/** The slot that names the resource of a call. Without one, the call is about its whole project or group. */
export function namingSlot({ slots }: Pick<Endpoint, 'slots'>): string {
  return Object.keys(slots).at(-1) ?? 'id';
}

/** The name that confirms a destructive call. */
export function nameOf({ endpoint, slots }: Pick<Call, 'endpoint' | 'slots'>): string {
  return slots[namingSlot(endpoint)] ?? '';
}

/** The subject of a call, by API names: arguments, other values, scope. */
function subjectOf({ endpoint, slots, values }: Call): Fact[] {
  const args = Object.keys(endpoint.slots).map((name): Fact => [name, slots[name] ?? '']);
  const given = Object.entries(masked(values, endpoint.takes) ?? {});
  const scope: Fact[] = endpoint.scope ? [[endpoint.scope.name, slots['id'] ?? '']] : [];
  return [...args, ...given.map(([name, value]): Fact => [name, textOf(value)]), ...scope];
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (!isRecord(value)) return String(value);
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

/** The subject in words: `KEY`, `project acme/rocket`. */
export function subjectWords(call: Call): string[] {
  const { slots } = call.endpoint;
  return subjectOf(call).map(([name, value]) => (slots[name] ? value : `${name} ${value}`));
}

/** `Delete a variable: KEY, project acme/rocket, on host (profile work)` */
function summaryLine(session: Session, call: Call): string {
  return `${call.endpoint.summary}: ${[...subjectWords(call), `on ${hostOf(session)}`].join(', ')}`;
}

/** The summary for a prompt, one fact per line, and what else is affected. */
function summaryLines(session: Session, call: Call, { facts: read, lines }: Preview): string[] {
  const args = Object.keys(call.endpoint.slots).length;
  const subject = subjectOf(call);
  const facts: Fact[] = [...subject.slice(0, args), ...read, ...subject.slice(args), ['on', hostOf(session)]];
  const width = Math.max(...facts.map(([name]) => name.length)) + 1;
  const block = facts.map(([name, value]) => `  ${`${name.replaceAll('_', ' ')}:`.padEnd(width)} ${value}`);
  const { summary, lossWarning } = call.endpoint;
  return [summary, ...block, ...lines, ...(lossWarning === undefined ? [] : [lossWarning])];
}

/**
 * Ask for the confirmation of a destructive command, unless a flag gives it. The prompt shows what would be affected.
 * @param area the name of the area of the call
 * @throws Failure `usage` if it is denied, or if prompting is not possible; nothing was sent
 */
export async function confirm(session: Session, call: Call, area: string): Promise<void> {
  const { endpoint } = call;
  const { options, context, terminal } = session;
  const severe = endpoint.confirm === 'name';
  const name = nameOf(call);
  if (severe && options.confirm !== undefined) {
    if (options.confirm === name) return;
    throw usage(`--confirm must be ${JSON.stringify(name)}, not ${JSON.stringify(options.confirm)}`, notSent);
  }
  if (options.yes === true) return;
  if (!canPrompt(context, options)) {
    const flag = severe ? `--confirm ${shellQuote(name)}` : '--yes';
    throw new Failure('usage', `this command requires ${flag}, because svc cannot prompt here`, {
      details: [summaryLine(session, call)],
      hint: notSent,
    });
  }
  const { previewOf } = await import('./preview.ts');
  const preview = await previewOf(session, call, area);
  const lines = summaryLines(session, call, preview).map((line) => `${terminal.clean(line)}\n`);
  context.stderr.write(lines.join(''));
  const agreed = severe
    ? (await ask(context, `Type ${name} to continue: `, { onEnd: '' })).trim() === name
    : await askYesNo(context, 'Continue?');
  if (!agreed) throw usage('canceled; request not sent');
}

const notSent = 'request not sent';
