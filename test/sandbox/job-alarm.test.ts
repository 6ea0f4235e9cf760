/** The first change of a job by the clock, which the sandbox waits for: 5 s after it was queued. */
import { test } from 'vitest';
import { until } from '../support/process.ts';
import { openReceiver } from '../support/receiver.ts';
import { noon, openTestSandbox } from './ask.ts';

test('hooks get the changes of a job without another request', async () => {
  const receiver = await openReceiver();
  const started = Date.now();
  // The clock of this sandbox runs a hundred times faster.
  const { ask, sandbox } = await openTestSandbox({ now: () => noon + (Date.now() - started) * 100 });
  await ask('POST /groups/10/hooks', { json: { url: receiver.url, push_events: false, job_events: true } });
  await ask(`POST /projects/100/jobs/5262/play`);
  await until('the last event', () => receiver.calls.length === 3);
  await sandbox.close();
});
