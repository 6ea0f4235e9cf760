import { usage } from '../../errors.ts';
import type { OutputOptions } from '../../output/model.ts';
import type { Session } from '../session/model.ts';

/** Read the output options of a command line. @throws Failure `usage` for an empty name in `--fields` */
export function readOutputOptions({ options, settings, terminal, context }: Session): OutputOptions {
  const { fields: typed, wrap } = options;
  const fields = typed?.split(',').map((path) => path.trim());
  if (fields?.includes('')) throw usage(`--fields contains an empty name: ${JSON.stringify(typed)}`);
  return {
    format: settings.output.value,
    ...(fields ? { fields } : {}),
    columns: [],
    header: options.noHeader !== true,
    csvSafe: options.csvSafe === true,
    ...(terminal.screen ? { terminal: terminal.screen } : {}),
    color: terminal.color,
    ...(wrap === undefined ? {} : { wrap }),
    time: options.time ?? (terminal.screen ? 'relative' : 'iso'),
    now: context.now,
  };
}
