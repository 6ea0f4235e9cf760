import { printable } from '../../../support/text/printable.ts';
import type { Context } from '../../context.ts';

/** Print lines for the user at a prompt. */
export function tell({ stderr }: Context, ...lines: readonly string[]): void {
  for (const line of lines) stderr.write(`${printable(line)}\n`);
}

/** Print why an answer is not accepted, and what the user can do. */
export function tellProblem(context: Context, problem: string, advice: string): void {
  tell(context, `${problem.charAt(0).toUpperCase()}${problem.slice(1)}. ${advice}`);
}
