/** Ask before something is ended or replaced (interface section 1). */
import { Failure, usage } from '../errors.ts';
import type { Endpoint } from '../spec/endpoint.ts';
import type { Prepared } from './prepare.ts';
import { ask, canAsk, confirmed } from './prompt.ts';

/** What the user types to confirm a severe command: the thing's own name. */
function nameOf(endpoint: Endpoint, slots: Readonly<Record<string, string>>): string {
  const last = Object.keys(endpoint.slots).at(-1);
  return (last === undefined ? slots['id'] : slots[last]) ?? '';
}

/** `delete a variable: KEY, project acme/rocket, on host (profile work)` */
function sentence({ endpoint, slots, session, values }: Prepared): string {
  const things = Object.keys(endpoint.slots).map((name) => slots[name]);
  const filters = Object.entries(values).map(
    ([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`,
  );
  const place = endpoint.scope ? [`${endpoint.scope.name} ${slots['id']}`] : [];
  const { profile } = session.settings;
  const host = new URL(session.root()).host;
  const where = `on ${host}${profile ? ` (profile ${profile.value})` : ''}`;
  return `${endpoint.summary}: ${[...things, ...filters, ...place, where].join(', ')}`;
}

/**
 * @throws Failure `usage` where nobody can be asked and no flag says yes, or where the answer is no; nothing was sent
 */
export async function confirm(prepared: Prepared): Promise<void> {
  const { endpoint, slots, session } = prepared;
  const { globals, context } = session;
  if (endpoint.confirm === 'name') {
    const name = nameOf(endpoint, slots);
    if (globals['confirm'] !== undefined) {
      if (globals['confirm'] === name) return;
      throw usage(
        `--confirm ${JSON.stringify(globals['confirm'])} is not ${JSON.stringify(name)}; nothing was sent`,
      );
    }
    if (globals['yes'] === true) return;
    if (!canAsk(context, globals)) throw mustSay(prepared, `--confirm ${name}`);
    const typed = await ask(context, `${sentence(prepared)}\nType ${name} to go on: `);
    if (typed.trim() !== name) throw declined();
    return;
  }
  if (globals['yes'] === true) return;
  if (!canAsk(context, globals)) throw mustSay(prepared, '--yes');
  if (!(await confirmed(context, `${sentence(prepared)}. Go on?`))) throw declined();
}

function mustSay(prepared: Prepared, flag: string): Failure {
  return new Failure('usage', `this needs ${flag}, since nobody can be asked; nothing was sent`, {
    details: [sentence(prepared)],
  });
}

function declined(): Failure {
  return new Failure('usage', 'not done; nothing was sent');
}
