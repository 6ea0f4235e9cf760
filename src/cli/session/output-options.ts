import { usage } from '../../errors.ts';
import type { Format } from '../../output/formats.ts';
import type { Session } from './session.ts';

/** How the answer is to be shown. */
export interface View {
  readonly format: Format;
  readonly fields?: readonly string[];
  readonly header: boolean;
  readonly csvSafe: boolean;
  readonly time: 'iso' | 'relative' | 'local';
  readonly wrap?: string;
}

/**
 * Check every output option, before anything can be sent.
 * @throws Failure `usage`, or `local` where a file cannot be written
 */
export async function checkOutput(session: Session): Promise<void> {
  const { jq, rawStrings, outputFile: file, download } = session.options;
  readSettings(session);
  if (jq !== undefined || rawStrings !== undefined)
    await (await import('../call/jq.ts')).checkProgram(session);
  if (file === undefined && download === undefined) return;
  const { prepareTarget } = await import('../call/transfer.ts');
  await prepareTarget(session, 'output-file');
  await prepareTarget(session, 'download');
}

/** @throws Failure `usage` for a name of `--fields` that is empty */
export function readSettings(session: Session): View {
  const { options, settings, terminal } = session;
  const fields = options.fields;
  const chosen = fields?.split(',').map((path) => path.trim());
  if (chosen?.some((path) => path === ''))
    throw usage(`--fields has an empty name: ${JSON.stringify(fields)}`);
  return {
    format: settings.output.value,
    ...(chosen ? { fields: chosen } : {}),
    header: options.noHeader !== true,
    csvSafe: options.csvSafe === true,
    ...(typeof options.wrap === 'string' ? { wrap: options.wrap } : {}),
    time: options.time ?? (terminal.screen ? 'relative' : 'iso'),
  };
}
