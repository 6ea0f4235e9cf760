/** The text of the plans of several targets: equal ones once. */
import { counted } from '../../spec/names.ts';
import type { TargetScope } from '../../spec/resource.ts';
import { groupBy } from '../../support/record.ts';
import { shortList } from '../../support/text/list.ts';
import type { Tone } from '../../support/text/pen.ts';

const order = ['create', 'update', 'delete'] as const;
export type Action = (typeof order)[number];

type PlanText = readonly [tone: Tone, text: string];

export interface PlanPart {
  readonly scope: TargetScope;
  readonly name: string;
  readonly lines: readonly PlanText[];
  readonly unchanged: number;
  /** `1 not compared: new_note of notification settings` */
  readonly uncompared: readonly string[];
  /** The changes that the API can make. */
  readonly actions: readonly Action[];
}

const isChanged = ({ lines }: PlanPart): boolean => lines.length > 0;
const isPlain = (part: PlanPart): boolean => !isChanged(part) && part.uncompared.length === 0;

/** The plans, one line for each change, and their sum. @param changedOnly leave out targets without changes */
export function planText(parts: readonly PlanPart[], changedOnly = false): PlanText[] {
  const shown = changedOnly ? parts.filter(isChanged) : parts;
  const groups = groupBy(shown, (part) =>
    isPlain(part) ? '' : JSON.stringify([part.lines, part.uncompared]),
  );
  return [...[...groups.values()].flatMap(groupText), ['plain', summaryText(parts)]];
}

function groupText(group: readonly PlanPart[]): PlanText[] {
  const [first] = group;
  if (!first) return [];
  const scope = group.every((one) => one.scope === first.scope) ? first.scope : 'target';
  const names = shortList(group.map(({ name }) => name));
  const many = counted(group.length, scope);
  if (group.length > 1 && isPlain(first)) return [['plain', `${many} unchanged: ${names}`]];
  const head = group.length === 1 ? first.name : `${many}: ${names}`;
  // `  12 unchanged, 1 not compared: new_note of notification settings`
  const all = group.map((one) => one.unchanged);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const isCounted = most > 0 || first.lines.length + first.uncompared.length === 0;
  const count = least === most ? String(most) : `${least} to ${most}`;
  const each = group.length > 1 ? ' each' : '';
  const rest = [...(isCounted ? [`${count} unchanged${each}`] : []), ...first.uncompared];
  const last: PlanText[] = rest.length > 0 ? [['plain', `  ${rest.join(', ')}`]] : [];
  return [['plain', head], ...first.lines, ...last];
}

/** `1 created, 0 updated, 2 deleted` */
export function countText(actions: readonly Action[], words: readonly [string, string, string]): string {
  const counts = order.map((action) => actions.filter((one) => one === action).length);
  return words.map((word, at) => `${counts[at]} ${word}`).join(', ');
}

/** `Plan: 1 to create, 1 to update, 1 to delete.` */
function summaryText(parts: readonly PlanPart[]): string {
  const actions = parts.flatMap((part) => part.actions);
  const changes = parts.flatMap(({ lines }) => lines).length;
  const unresolved = changes - actions.length;
  if (changes === 0) return 'No changes.';
  const blocked = unresolved > 0 ? ` ${counted(unresolved, 'difference')} cannot be resolved (!).` : '';
  return `Plan: ${countText(actions, ['to create', 'to update', 'to delete'])}.${blocked}`;
}
