/**
 * A plan: the changes of all targets in order, as lines for machines and as parts of a text for people. Secrets are masked in both, except that
 * people see the values of variables that are not masked.
 */
import { fieldOf, hasSecret } from '../../spec/field.ts';
import { guarded, masked } from '../../spec/mask.ts';
import type { Call } from '../../spec/request.ts';
import { isSingleton, type Row } from '../../spec/resource.ts';
import { mapInOrder } from '../../support/in-order.ts';
import { mask } from '../../support/mask.ts';
import { groupBy } from '../../support/record.ts';
import { shortList } from '../../support/text/list.ts';
import { printable } from '../../support/text/printable.ts';
import { readRows } from './actual.ts';
import { type CompareOptions, compareKind } from './changes.ts';
import { isUnavailable, type Reading } from './codecs.ts';
import {
  type Change,
  type Compared,
  type Desired,
  deletedFiles,
  isChange,
  type Named,
  type Plan,
  type ReadKind,
  type TargetPlan,
  targetKey,
  targetName,
  type Unchanged,
} from './model.ts';
import type { PlanPart } from './plan-text.ts';

/** Compare the desired state with the actual state, several targets at a time. @param read by default, reads every kind */
export async function makePlan(
  task: Reading,
  desired: readonly Desired[],
  options: CompareOptions,
  read: ReadKind = (target, kind) => readRows(task, target, kind),
): Promise<Plan> {
  const progress = task.progress?.('reading', desired.flatMap(({ kinds }) => kinds).length);
  const plan = await mapInOrder(desired, options.concurrency ?? 4, async ({ target, kinds }) => {
    const compared: Compared[] = [];
    for (const kind of kinds) {
      progress?.step(`${kind.resource.kind} of ${targetName(target)}`);
      const rows = await read(target, kind).catch((error: unknown) => {
        throw isUnavailable(error)
          ? error.with({ message: `${kind.resource.kind}: ${error.message}` })
          : error;
      });
      if (rows) compared.push(...compareKind(target, kind, rows, options));
    }
    const changes = compared.filter(isChange);
    const unchanged = compared.filter((one): one is Unchanged => !isChange(one));
    changes.sort((a, b) => Number(a.action === 'delete') - Number(b.action === 'delete'));
    return { target, changes, unchanged };
  });
  progress?.end();
  return plan;
}

/** A line of a plan in JSON, without secrets. @param urlOf the URL of a call, exactly as it would be sent */
export function planLine(change: Change, urlOf: (call: Call) => string) {
  const { action, resource, target, changes, call, unresolved } = change;
  const deleted = deletedFiles(change);
  return {
    action,
    kind: resource.kind,
    target: targetKey(target),
    identity: shownIdentity(change),
    changes: Object.fromEntries(
      Object.entries(changes).map(([name, pair]) => [name, shownPair(change, name, pair)]),
    ),
    ...(deleted.length > 0 ? { deleted_files: deleted } : {}),
    ...(call ? { request: { method: call.endpoint.method, url: urlOf(call) } } : {}),
    ...(unresolved === undefined ? {} : { unresolved }),
  };
}

type Pair = readonly [old: unknown, desired: unknown];

function holds(value: unknown, texts: ReadonlySet<unknown>): boolean {
  if (typeof value !== 'object' || value === null) return texts.has(value);
  return Object.values(value).some((one) => holds(one, texts));
}

/** The old and the new value of an attribute, without secrets. The old value of a secret is a secret too. */
function shownPair({ resource, entry }: Named, name: string, pair: Pair): Pair {
  const field = fieldOf(resource.attributes, name);
  const isHidden = hasSecret(field) || holds(pair, entry?.secrets ?? new Set());
  const show = (value: unknown) =>
    (value ?? null) === null ? value : isHidden ? mask : masked(guarded(field, value));
  return [show(pair[0]), show(pair[1])];
}

/** Whether people may see a secret: it is neither masked, hidden nor given by reference, before and after the change. */
function isOpen({ resource, row, entry }: Change, pair: Pair): boolean {
  if (!resource.isMasked || !row || !entry || holds(pair, entry.secrets ?? new Set())) return false;
  return [row, entry.attributes].every((one) => !resource.isMasked?.(one) && !resource.isUnreadable?.(one));
}

function shownIdentity(change: Named): Row {
  const pairs = Object.entries(change.identity);
  return Object.fromEntries(pairs.map(([name, value]) => [name, shownPair(change, name, [null, value])[1]]));
}

const maxShown = 40;

function shown(value: unknown): string | undefined {
  if (value === undefined) return 'unknown';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const items = [value ?? ''].flat();
  const text = items.join(', ');
  if (items.some((item) => typeof item === 'object') || text.length > maxShown || text.includes('\n'))
    return undefined;
  return text || 'none';
}

/** `value changed, masked: no → yes`, `files changed (a.txt deleted)` */
function changeText(change: Change, arrow: string): string {
  const deleted = deletedFiles(change).map(inLine).join(', ');
  return Object.entries(change.changes)
    .map(([name, pair]) => {
      const values = isOpen(change, pair) ? pair.map((one) => masked(one)) : shownPair(change, name, pair);
      const [from, to] = values.map(shown);
      if (name === 'files' && deleted !== '') return `files changed (${deleted} deleted)`;
      if (pair[0] === undefined && to === mask) return `${name} sent`;
      if (from === undefined || to === undefined || from === mask || to === mask) return `${name} changed`;
      return `${name}: ${from} ${arrow} ${to}`;
    })
    .join(', ');
}

/** `variable LOG_LEVEL (scope *)`, always one line: names are text of the service. */
export function nameOf(change: Named): string {
  const { resource } = change;
  const [first, ...others] = Object.entries(shownIdentity(change));
  if (isSingleton(resource) || !first) return resource.noun;
  const more = others.map(([name, value]) => `${name.replace(/^environment_/, '')} ${inLine(value)}`);
  return `${resource.noun} ${inLine(first[1])}${more.length > 0 ? ` (${more.join(', ')})` : ''}`;
}

/** Text without line breaks and control characters, which could look like another line of the plan or end a comment. */
export function inLine(value: unknown): string {
  return printable(String(value ?? ''));
}

const marks = {
  create: ['added', '+'],
  update: ['changed', '~'],
  delete: ['removed', '-'],
  unresolved: ['warning', '!'],
} as const;

/** A plan of one target for people. Equal lines mean equal changes. */
export function planParts(plan: Plan, arrow: string): PlanPart[] {
  return plan.map((one) => ({
    scope: one.target.scope,
    name: targetName(one.target),
    lines: one.changes.map((change) => {
      const [tone, sign] = marks[change.unresolved === undefined ? change.action : 'unresolved'];
      const details = change.action === 'update' ? changeText(change, arrow) : '';
      const why = change.unresolved === undefined ? '' : `${change.action}: ${change.unresolved}`;
      const more = [details, why].filter((text) => text !== '').join('; ');
      return [tone, `  ${sign} ${nameOf(change)}${more === '' ? '' : `: ${more}`}`] as const;
    }),
    unchanged: one.unchanged.filter(({ uncompared }) => uncompared.length === 0).length,
    uncompared: uncomparedText(one),
    actions: one.changes.flatMap(({ action, call }) => (call ? [action] : [])),
  }));
}

/** `1 not compared: new_note of notification settings`; empty if everything was compared. */
export function uncomparedText({ unchanged }: TargetPlan): string[] {
  const partly = unchanged.filter(({ uncompared }) => uncompared.length > 0);
  if (partly.length === 0) return [];
  const names = [...groupBy(partly, ({ uncompared }) => uncompared.join(', '))].map(
    ([attributes, all]) => `${attributes} of ${shortList(all.map(nameOf))}`,
  );
  const hasSecrets = partly.some(({ resource, uncompared }) =>
    uncompared.some((name) => hasSecret(fieldOf(resource.attributes, name))),
  );
  const hint = hasSecrets ? '; apply with --rewrite-secrets to send secrets' : '';
  return [`${partly.length} not compared: ${names.join('; ')}${hint}`];
}
