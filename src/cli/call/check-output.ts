import type { Session } from '../session/model.ts';
import { readOutputOptions } from './output-options.ts';

/**
 * Check every output option, before anything is sent.
 * @throws Failure `usage`, or `internal` for a file that cannot be written
 */
export async function checkOutput(session: Session): Promise<void> {
  const { jq, rawStrings, outputFile, download } = session.options;
  readOutputOptions(session);
  if (jq !== undefined || rawStrings !== undefined)
    await (await import('./jq/check.ts')).checkProgram(session);
  if (outputFile === undefined && download === undefined) return;
  const { prepareTarget } = await import('./transfer.ts');
  await prepareTarget(session, 'output-file');
  await prepareTarget(session, 'download');
}
