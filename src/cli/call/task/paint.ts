/** Prints colored lines of tasks, which wrap between words on a terminal. */
import { writeAll } from '../../../output/sink.ts';
import { once } from '../../../support/bytes.ts';
import type { TaskContext } from '../../../tasks/context.ts';
import type { Session } from '../../session/model.ts';

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
