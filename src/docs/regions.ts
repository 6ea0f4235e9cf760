/** Tables that pages written by hand have between marks: README.md, docs/pipelines.md, docs/scripting.md. */
import { themes } from '../api/index.ts';
import { pathOf } from '../spec/command.ts';
import type { Manual } from './man/man.ts';
import { kindsOf } from './man/topics.ts';
import { cell, table } from './markdown.ts';
import type { AreaGroup } from './model.ts';
import { settings } from './settings.ts';
import { requestOf } from './words.ts';

/** The exit codes as a table: also a region of the README. */
export function exitTable({ exitCodes, exitMeanings }: Pick<Manual, 'exitCodes' | 'exitMeanings'>): string[] {
  return table(
    ['Code', 'Meaning', '`kind` in a JSON error'],
    exitMeanings.map(([code, meaning]) => [
      String(code),
      cell(meaning),
      kindsOf(code, exitCodes)
        .map((kind) => `\`${kind}\``)
        .join(', '),
    ]),
  );
}

/** The areas as a table with the number of their commands: also a region of the README. */
export function areaTable(areas: readonly AreaGroup[], link: (name: string) => string): string[] {
  return table(
    ['Area', 'What it covers', 'Commands'],
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

/** The calls that are known to take a job token, with what each takes. */
export function jobTokenTable(areas: readonly AreaGroup[]): string[] {
  const rows = areas
    .flatMap(({ commands }) => commands)
    .flatMap((command) =>
      command.endpoints
        .filter(({ access }) => access.jobToken)
        .map((endpoint) => [
          `\`svc ${pathOf(command)}\``,
          `\`${requestOf(endpoint)}\``,
          endpoint.access.jobToken === 'only' ? 'a job token only' : 'an access token too',
        ]),
    );
  return table(['Command', 'Request', 'Takes'], rows);
}

/** The settings that a pipeline's own variables give. */
export function pipelineTable(): string[] {
  const code = (names = '') => names.replace(/\b[A-Z][A-Z0-9_]*_[A-Z0-9_]+\b/g, '`$&`');
  return table(
    ['Setting', 'Found in', 'What stands before it'],
    settings
      .filter(({ pipeline }) => pipeline)
      .map(({ name, pipeline, flag, environment }) => [
        cell(name),
        code(pipeline),
        [flag ? `\`--${flag}\`` : '', code(environment)].filter(Boolean).join(', '),
      ]),
  );
}

/**
 * The colors of status words.
 * @param palette the color of each meaning
 * @param statuses the words of each meaning, with blanks between them
 */
export function paletteTable(
  palette: Readonly<Record<string, string>>,
  statuses: Readonly<Record<string, string>>,
): string[] {
  return table(
    ['Meaning', 'Color', 'Words'],
    Object.entries(palette).map(([meaning, color]) => [meaning, color, cell(statuses[meaning] ?? '')]),
  );
}
