/** A plan: the changes of all targets in order, as lines for machines and as text for people. Secrets are masked in both. */
import { type Field, fieldOf, isSecret, keysOf } from '../../spec/field.ts';
import { guarded, masked } from '../../spec/mask.ts';
import type { Call } from '../../spec/request.ts';
import { isSingleton, type Row } from '../../spec/resource.ts';
import { mask } from '../../support/mask.ts';
import { groupBy } from '../../support/record.ts';
import { printable } from '../../support/text/printable.ts';
import { type CompareOptions, compareKind } from './changes.ts';
import {
  type Change,
  changesOf,
  type DesiredKind,
  type Plan,
  type Target,
  targetKey,
  targetName,
} from './model.ts';

/** The actual rows of a kind. */
export type ReadRows = (target: Target, kind: DesiredKind) => Promise<readonly Row[]>;

/** Compare the desired state with the actual state. Creations and updates come before deletions. */
export async function makePlan(
  desired: readonly { readonly target: Target; readonly kinds: readonly DesiredKind[] }[],
  read: ReadRows,
  options: CompareOptions,
): Promise<Plan> {
  const targets: Plan['targets'][number][] = [];
  for (const { target, kinds } of desired) {
    const changes: Change[] = [];
    let unchanged = 0;
    const uncompared: Plan['targets'][number]['uncompared'][number][] = [];
    for (const kind of kinds) {
      const compared = compareKind(target, kind, await read(target, kind), options);
      changes.push(...compared.changes);
      unchanged += compared.unchanged;
      uncompared.push(...compared.uncompared.map((names) => ({ kind: kind.resource.kind, names })));
    }
    const isDeletion = ({ action }: Change) => action === 'delete';
    targets.push({
      target,
      unchanged,
      uncompared,
      changes: [...changes.filter((one) => !isDeletion(one)), ...changes.filter(isDeletion)],
    });
  }
  return { targets };
}

/** One line of a plan in JSON. */
export interface PlanLine {
  readonly action: Change['action'];
  readonly kind: string;
  readonly target: Readonly<Record<string, string | true>>;
  readonly identity: Row;
  readonly changes: Readonly<Record<string, readonly [unknown, unknown]>>;
  readonly request?: { readonly method: string; readonly url: string };
  readonly unresolved?: string;
}

/** @param urlOf the URL of a call, exactly as it would be sent */
export function planLine(change: Change, urlOf: (call: Call) => string): PlanLine {
  const { action, resource, target, changes, call, unresolved } = change;
  return {
    action,
    kind: resource.kind,
    target: targetKey(target),
    identity: shownIdentity(change),
    changes: Object.fromEntries(
      Object.entries(changes).map(([name, pair]) => [name, shownPair(change, name, pair)]),
    ),
    ...(call ? { request: { method: call.endpoint.method, url: urlOf(call) } } : {}),
    ...(unresolved === undefined ? {} : { unresolved }),
  };
}

/** Whether an attribute is a secret, or contains one. */
export function hasSecret(field: Field | undefined): boolean {
  return isSecret(field) || Object.values(keysOf(field) ?? {}).some(isSecret);
}

type Named = Pick<Change, 'resource' | 'identity' | 'secrets'>;
type Pair = readonly [old: unknown, desired: unknown];

function holds(value: unknown, texts: ReadonlySet<unknown>): boolean {
  if (typeof value !== 'object' || value === null) return texts.has(value);
  return Object.values(value).some((one) => holds(one, texts));
}

/** The old and the new value of an attribute, without secrets. The old value of a secret is a secret too. */
function shownPair({ resource, secrets = new Set() }: Named, name: string, pair: Pair): Pair {
  const field = fieldOf(resource.attributes, name);
  const isHidden = hasSecret(field) || holds(pair, secrets);
  const show = (value: unknown) =>
    (value ?? null) === null ? value : isHidden ? mask : masked(guarded(field, value));
  return [show(pair[0]), show(pair[1])];
}

function shownIdentity(change: Named): Row {
  const pairs = Object.entries(change.identity);
  return Object.fromEntries(pairs.map(([name, value]) => [name, shownPair(change, name, [null, value])[1]]));
}

/** The longest value that is shown in full. */
const maxShown = 40;

function shown(value: unknown): string | undefined {
  if (value === undefined) return 'unknown';
  if (value === null || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = Array.isArray(value) ? value.map(String).join(', ') : String(value);
  const isPlain = !Array.isArray(value) || value.every((one) => typeof one !== 'object');
  return isPlain && text.length <= maxShown && !text.includes('\n') ? text || 'none' : undefined;
}

/** `value changed, masked: no → yes` */
function changeText(change: Change, arrow: string): string {
  return Object.entries(change.changes)
    .map(([name, pair]) => {
      const [from, to] = shownPair(change, name, pair).map(shown);
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

export const signs = { create: '+', update: '~', delete: '-', unresolved: '!' } as const;
export type Sign = keyof typeof signs;

export interface PlanText {
  readonly sign?: Sign;
  readonly text: string;
}

/** The plan for people, one line each. @param arrow between the old and the new value */
export function planText(plan: Plan, arrow: string): PlanText[] {
  const parts = plan.targets.map((one): PlanText[] => [
    { text: targetName(one.target) },
    ...one.changes.map((change): PlanText => {
      const sign = change.unresolved === undefined ? change.action : 'unresolved';
      const details = change.action === 'update' ? changeText(change, arrow) : '';
      const why = change.unresolved === undefined ? '' : `${change.action}: ${change.unresolved}`;
      const more = [details, why].filter((one) => one !== '').join('; ');
      return { sign, text: `  ${signs[sign]} ${nameOf(change)}${more === '' ? '' : `: ${more}`}` };
    }),
    ...restText(one),
  ]);
  return [...parts.flat(), { text: summaryText(plan) }];
}

/** `  12 unchanged, 1 not compared: notifications (new_note)` */
function restText(target: Plan['targets'][number]): PlanText[] {
  const { changes, unchanged, uncompared } = target;
  const isCounted = unchanged > 0 || changes.length + uncompared.length === 0;
  const counts = [...(isCounted ? [`${unchanged} unchanged`] : []), ...uncomparedText(target)];
  return counts.length > 0 ? [{ text: `  ${counts.join(', ')}` }] : [];
}

/** `1 not compared: notifications (new_note)`; empty if everything was compared. */
export function uncomparedText({ uncompared }: Plan['targets'][number]): string[] {
  const kinds = [...groupBy(uncompared, ({ kind }) => kind)].map(
    ([kind, all]) => `${kind} (${[...new Set(all.flatMap(({ names }) => names))].join(', ')})`,
  );
  return kinds.length > 0 ? [`${uncompared.length} not compared: ${kinds.join(', ')}`] : [];
}

/** `Plan: 1 to create, 1 to update, 1 to delete.` */
export function summaryText(plan: Plan): string {
  const changes = changesOf(plan);
  if (changes.length === 0) return 'No changes.';
  const solvable = changes.filter(({ call }) => call);
  const count = (action: Change['action']) => solvable.filter((one) => one.action === action).length;
  const unresolved = changes.length - solvable.length;
  const blocked = unresolved > 0 ? ` ${unresolved} cannot be changed through the API.` : '';
  return `Plan: ${count('create')} to create, ${count('update')} to update, ${count('delete')} to delete.${blocked}`;
}
