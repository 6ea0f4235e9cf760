/** Prints colored lines of tasks, which wrap between words on a terminal. */
import { writeAll } from '../../../output/sink.ts';
import { once } from '../../../support/bytes.ts';
import type { Progress, TaskContext, Waiting } from '../../../tasks/context.ts';
import type { Session } from '../../session/model.ts';
import { lasting, timeLeft } from '../../terminal/progress.ts';

/** Return a function that prints lines on standard output, in the order of its calls. */
export function painter({ context, terminal }: Session): TaskContext['paint'] {
  let printed = Promise.resolve();
  const print: TaskContext['paint'] = async (lines) => {
    const [{ tonePainter }, { Measure }, { wrapItem }] = await Promise.all([
      import('../../../output/table/paint.ts'),
      import('../../../output/table/width.ts'),
      import('../../../output/table/wrap.ts'),
    ]);
    const { color, clean, screen } = terminal;
    const paint = await tonePainter(color);
    const measure = new Measure();
    if (screen) await measure.prepare(lines.map(([, text]) => text));
    const fitting = (text: string) => (screen ? wrapItem(text, screen.width, measure) : [text]);
    const painted = lines.flatMap(([tone, text]) => fitting(clean(text)).map((part) => paint(tone, part)));
    await writeAll(once(Buffer.from(`${painted.join('\n')}\n`)), context.stdout);
  };
  return (lines) => {
    // The first line that is not ASCII takes longer, because it loads the widths of characters.
    printed = printed.then(() => print(lines));
    return printed;
  };
}

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
