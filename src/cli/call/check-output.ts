import { usage } from '../../errors.ts';
import type { Session } from '../session/model.ts';
import { readOutputOptions, sortKeys } from './output-options.ts';

/**
 * Check every output option, before anything is sent.
 * @throws Failure `usage`, or `internal` for a file that cannot be written
 */
export async function checkOutput(session: Session): Promise<void> {
  const { fields, sortBy, web, jq, rawStrings, outputFile, download } = session.options;
  const { value, from } = session.settings.output;
  readOutputOptions(session);
  sortKeys(session.options);
  for (const [flag, given] of Object.entries({ '--fields': fields, '--sort-by': sortBy }))
    if (value === 'raw' && given !== undefined)
      throw usage(`${flag} and ${from} raw cannot be used together`, 'raw prints the response unchanged');
  if (web === true) (await import('./web.ts')).checkWeb(session);
  if (jq !== undefined || rawStrings !== undefined)
    await (await import('./jq/check.ts')).checkProgram(session);
  if (outputFile === undefined && download === undefined) return;
  const { prepareTarget } = await import('./transfer.ts');
  await prepareTarget(session, 'output-file');
  await prepareTarget(session, 'download');
}
