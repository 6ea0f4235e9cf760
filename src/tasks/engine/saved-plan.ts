/** Saved plans: the lines of a plan without its secrets, to execute exactly what was reviewed. */
import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { Failure, usage } from '../../errors.ts';
import type { Call } from '../../spec/request.ts';
import { errnoText, UnsuitableFile } from '../../support/errno.ts';
import { jsonIn, jsonText } from '../../support/json.ts';
import { isRecord } from '../../support/record.ts';
import { checkReplaceable, createOrReplace } from '../../support/system/user-file.ts';
import { type Change, changesOf, type Plan, targetName } from './model.ts';
import { nameOf, planLine } from './plan.ts';

const derive = promisify<string, Buffer, number, { N: number }, Buffer>(scrypt);
/** A digest takes milliseconds, so that guessing a weak secret from a plan is slow. */
const cost = { N: 2048 };

async function digest(text: string, salt: Buffer): Promise<string> {
  return (await derive(text, salt, 16, cost)).toString('base64url');
}

/** A line. If it lacks secrets, it has a digest of them. */
async function savedLine(change: Change, salt: Buffer, urlOf: (call: Call) => string): Promise<string> {
  const line = planLine(change, urlOf);
  const whole = jsonText([change.identity, change.changes]);
  const isWhole = whole === jsonText([line.identity, line.changes]);
  return jsonText({ ...line, ...(isWhole ? {} : { secrets: await digest(whole, salt) }) });
}

/** The text of a plan file. */
export async function savedPlan(plan: Plan, urlOf: (call: Call) => string): Promise<string> {
  const salt = randomBytes(16);
  const lines: string[] = [];
  for (const change of changesOf(plan)) lines.push(await savedLine(change, salt, urlOf));
  return `${[JSON.stringify({ svc_plan: 1, salt: salt.toString('base64url') }), ...lines].join('\n')}\n`;
}

const isPlan = (start: string): boolean => saltOf(start.split('\n', 1)[0] as string) !== undefined;

/**
 * Write a plan to a new file, or in place of an earlier plan.
 * @param name the path as typed
 * @param text only check the file if it is undefined
 */
export async function writePlan(path: string, name: string, text?: string): Promise<void> {
  try {
    if (text === undefined) checkReplaceable(path, isPlan);
    else await createOrReplace(path, text, isPlan);
  } catch (error) {
    const message = `cannot write ${name}: ${errnoText(error)}`;
    if (!(error instanceof UnsuitableFile)) throw new Failure('internal', message, { cause: error });
    throw usage(`--save-plan: ${message}`, ['name a new file or an earlier plan', 'nothing was changed']);
  }
}

/**
 * Name the changes of a plan that a saved plan does not have. Saved changes that are no longer needed have been made.
 * @throws Failure `usage` for another file
 */
export async function differences(
  saved: string,
  file: string,
  plan: Plan,
  urlOf: (call: Call) => string,
): Promise<string[]> {
  const [header = '', ...lines] = saved.split('\n');
  const salt = saltOf(header);
  if (!salt) throw usage(`${file} is not a plan of svc`, 'create one with svc apply --save-plan <file>');
  const known = new Set(lines);
  const subjects = lines.map(subjectOf);
  const found: string[] = [];
  for (const change of changesOf(plan)) {
    const line = await savedLine(change, salt, urlOf);
    if (known.has(line)) continue;
    const what = subjects.includes(subjectOf(line)) ? 'changed' : 'new';
    found.push(`${what}: ${change.action} ${nameOf(change)} of ${targetName(change.target)}`);
  }
  return found;
}

const subjectOf = (line: string) => /"kind":.*?,"changes":/.exec(line)?.[0];

function saltOf(header: string): Buffer | undefined {
  const value = jsonIn(header);
  if (!isRecord(value) || value['svc_plan'] !== 1 || typeof value['salt'] !== 'string') return undefined;
  return Buffer.from(value['salt'], 'base64url');
}
