/** The progress of tasks. */
import type { Progress, Waiting } from '../../../tasks/context.ts';
import type { Session } from '../../session/model.ts';
import { lasting, timeLeft } from '../../terminal/progress-text.ts';

/** Show the number of steps: `importing variables: 3 of 12, LOG_LEVEL, 8s left`. */
export function openSteps(
  { context, progress }: Session,
  label: string,
  total: number | undefined,
): Progress {
  const begun = context.now();
  let step = 0;
  let current = '';
  const end = progress.open(() => {
    const count = step === 0 ? '' : `: ${step}${total === undefined ? '' : ` of ${total}`}`;
    const left = timeLeft({ done: step - 1, total, elapsed: context.now() - begun });
    return `${label}${count}${current === '' ? '' : `, ${current}`}${left}`;
  });
  return {
    step(subject = '') {
      step++;
      current = subject;
    },
    end,
  };
}

/** Show a state and how long the wait has lasted, or print a line for each state if standard error is not a terminal. */
export function openWaiting({ context, notes, progress, terminal }: Session, first: string): Waiting {
  const begun = context.now();
  let state: string | undefined;
  const end = progress.open(() => `${state}, ${lasting(context.now() - begun)}`);
  const say = (next: string) => {
    if (terminal.progress === 'none' && next !== state) notes.say(next);
    state = next;
  };
  say(first);
  return { say, end };
}
