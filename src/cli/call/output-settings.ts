import { usage } from '../../errors.ts';
import type { Format } from '../../output/formats.ts';
import type { Session } from '../session/model.ts';

/** How a response is printed. */
export interface OutputSettings {
  readonly format: Format;
  readonly fields?: readonly string[];
  readonly header: boolean;
  readonly csvSafe: boolean;
  readonly time: 'iso' | 'relative' | 'local';
  readonly wrap?: string;
}

/** Read the output settings of a command line. @throws Failure `usage` for an empty name in `--fields` */
export function readOutputSettings({ options, settings, terminal }: Session): OutputSettings {
  const { fields: typed, wrap } = options;
  const fields = typed?.split(',').map((path) => path.trim());
  if (fields?.includes('')) throw usage(`--fields contains an empty name: ${JSON.stringify(typed)}`);
  return {
    format: settings.output.value,
    ...(fields ? { fields } : {}),
    header: options.noHeader !== true,
    csvSafe: options.csvSafe === true,
    ...(wrap === undefined ? {} : { wrap }),
    time: options.time ?? (terminal.screen ? 'relative' : 'iso'),
  };
}
