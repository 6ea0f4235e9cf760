/** The session of one target: with the connection of all, and with its own output. */
import type { Options } from '../argv/flags.ts';
import { requestsOutput } from '../call/confirmation.ts';
import type { Context } from '../context.ts';
import type { Session } from '../session/model.ts';
import { noProgress } from '../terminal/progress.ts';
import type { Printed } from './capture.ts';
import { formatOf, isTabular } from './results.ts';

/** Returns a function that opens the session of a target. Sessions with the same options share everything but their output. */
export function sessionOpener(session: Session, kind: Printed['kind']) {
  const { screen: _, ...terminal } = session.terminal;
  const isTable = isTabular(formatOf(session)) && session.options.jq === undefined;
  // A table drops the options that request the response of a write.
  const isRequested = kind !== 'text' && requestsOutput(session);
  let last: { readonly options: Options; readonly shared: Omit<Session, 'context' | 'notes'> } | undefined;
  const shared = (options: Options) => ({
    ...session,
    options: withoutTableOptions(options, isTable),
    settings: {
      ...session.settings,
      output: {
        ...session.settings.output,
        ...(isRequested ? { source: 'flag' as const } : {}),
        value: options.raw === true ? ('raw' as const) : ('json' as const),
      },
    },
    terminal: { ...terminal, color: false, progress: 'none' as const },
    progress: noProgress,
    ...(isTable ? {} : { omitsIncomplete: true }),
  });
  return (options: Options, printed: Printed): Session => {
    if (last?.options !== options) last = { options, shared: shared(options) };
    const { notes } = printed;
    return {
      ...last.shared,
      context: contextFor(session.context, printed),
      notes: {
        say: (text) => void notes.push(['say', text]),
        done: (sentence) => void notes.push(['done', sentence]),
        confirmed: (sentence) => void notes.push(['confirmed', sentence]),
        redact: session.notes.redact,
        warn: (text) => void notes.push(['warn', text]),
        event: session.notes.event,
      },
    };
  };
}

/** The options of a table apply to the table of all targets. */
function withoutTableOptions(options: Options, isTable: boolean): Options {
  const { wrap: _, noHeader: __, csvSafe: ___, time: ____, ...others } = options;
  if (!isTable) return others;
  const { fields: _fields, allFields: _allFields, ...rest } = others;
  return rest;
}

/** The streams of the program are getters, and so are those of a target. */
function contextFor(context: Context, printed: Printed): Context {
  return Object.create(context, {
    stdout: { get: () => printed.data },
    stderr: { get: () => printed.errors },
    stdin: { value: undefined },
    isCaptured: { value: true },
  });
}
