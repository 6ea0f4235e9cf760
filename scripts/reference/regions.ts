/** Generated tables inside README.md and pages of docs. */
import { themes } from '../../src/api/index.ts';
import { type SettingEntry, settingTable } from '../../src/config/setting-table.ts';
import { requestOf } from '../../src/docs/descriptions.ts';
import type { Manual } from '../../src/docs/man/man.ts';
import type { AreaGroup } from '../../src/docs/model.ts';
import { pathOf } from '../../src/spec/command.ts';
import { type Fields, isSecret, itemOf, keysOf } from '../../src/spec/field.ts';
import { type Resource, resourceLimits, scopeOf } from '../../src/spec/resource.ts';
import { cell, table } from './markdown.ts';

/** Return the table of exit codes. */
export function exitTable({ exitMeanings }: Pick<Manual, 'exitMeanings'>): string[] {
  return table(
    ['Code', 'Meaning', '`kind` in a JSON error'],
    exitMeanings.map(([code, meaning, kind]) => [String(code), cell(meaning), kind ? `\`${kind}\`` : '']),
  );
}

/** Return the table of areas with the number of their commands. */
export function areaTable(areas: readonly AreaGroup[], link: (name: string) => string): string[] {
  return table(
    ['Area', 'Description', 'Commands'],
    Object.keys(themes).flatMap((theme) =>
      areas
        .filter((area) => area.theme === theme)
        .map(({ name, summary, commands }) => [
          `[\`${name}\`](${link(name)})`,
          cell(summary),
          String(commands.length),
        ]),
    ),
  );
}

/** Return the table of endpoints that are documented to accept a job token. */
export function jobTokenTable(areas: readonly AreaGroup[]): string[] {
  const rows = areas
    .flatMap(({ commands }) => commands)
    .flatMap((command) =>
      command.endpoints
        .filter(({ access }) => access.jobToken)
        .map((endpoint) => [
          `\`svc ${pathOf(command)}\``,
          `\`${requestOf(endpoint)}\``,
          endpoint.access.jobToken === 'only' ? 'job token only' : 'job token or access token',
        ]),
    );
  return table(['Command', 'Request', 'Accepted tokens'], rows);
}

/** Return the table of attributes and parameters that are secret, by area. */
export function secretTable(areas: readonly AreaGroup[]): string[] {
  const rows = areas.flatMap(({ name, commands }) => {
    const secrets = commands
      .flatMap(({ endpoints }) => endpoints)
      .flatMap(({ takes, returns }) => [
        ...secretPaths(takes),
        ...('fields' in returns ? secretPaths(returns.fields) : []),
      ]);
    const paths = [...new Set(secrets)].map((path) => `\`${path}\``);
    return paths.length > 0 ? [[`\`${name}\``, paths.join(', ')]] : [];
  });
  return table(['Area', 'Fields'], rows);
}

function secretPaths(fields: Fields, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, field]) => [
    ...(isSecret(field) && field.in !== 'credential' ? [`${prefix}${name}`] : []),
    ...secretPaths(keysOf(itemOf(field)) ?? {}, `${prefix}${name}.`),
  ]);
}

/** Return the table of settings that svc reads from predefined CI/CD variables. */
export function pipelineTable(): string[] {
  const code = (names = '') => names.replace(/\b[A-Z][A-Z0-9_]*_[A-Z0-9_]+\b/g, '`$&`');
  return table(
    ['Setting', 'Predefined variable', 'Overridden by'],
    Object.values<SettingEntry>(settingTable)
      .filter(({ pipeline }) => pipeline)
      .map(({ title, pipeline, flag, environment }) => [
        cell(title),
        code(pipeline?.join(', then ')),
        [flag ? `\`--${flag}\`` : '', code(environment?.join(', then '))].filter(Boolean).join(', '),
      ]),
  );
}

/**
 * Return the table of status colors.
 * @param palette the color of each meaning
 * @param statuses the statuses of each meaning, separated by spaces
 */
export function paletteTable(
  palette: Readonly<Record<string, string>>,
  statuses: Readonly<Record<string, string>>,
): string[] {
  return table(
    ['Meaning', 'Color', 'Statuses'],
    Object.entries(palette).map(([meaning, color]) => [meaning, color, cell(statuses[meaning] ?? '')]),
  );
}

/** Return the table of the kinds of state files: one row for each kind and scope. */
export function kindTable(resources: readonly Resource[]): string[] {
  const rows = resources.flatMap((resource) =>
    resource.calls.map((calls) => [
      `\`${resource.kind}\``,
      scopeOf(calls),
      resource.identity.map((names) => names.map((name) => `\`${name}\``).join(' and ')).join(', or ') ||
        'one per target',
      cell(resourceLimits(resource, calls).join('; ')),
    ]),
  );
  return table(['Kind', 'Target', 'Identified by', 'Limits'], rows);
}

/** The attributes that an entry of each kind may have. */
export function attributeTable(resources: readonly Resource[]): string[] {
  const rows = resources.map(({ kind, attributes }) => [
    `\`${kind}\``,
    Object.keys(attributes)
      .map((name) => `\`${name}\``)
      .join(', '),
  ]);
  return table(['Kind', 'Attributes'], rows);
}
