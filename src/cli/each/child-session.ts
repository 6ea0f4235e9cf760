/** The session of one target: with the connection of all, and with its own output. */
import type { Options } from '../argv/flags.ts';
import type { Session } from '../session/model.ts';
import { noProgress } from '../terminal/activity.ts';
import type { Printed } from './capture.ts';
import { formatOf, isTabular } from './results.ts';

/** @param printed receives what the command prints */
export function childSession(session: Session, options: Options, printed: Printed): Session {
  const { screen: _, ...terminal } = session.terminal;
  const { notes } = printed;
  const isTable = isTabular(formatOf(session));
  return {
    ...session,
    options: withoutTableOptions(options, isTable),
    // The streams of the program are getters.
    context: Object.create(session.context, {
      stdout: { get: () => printed.data },
      stderr: { get: () => printed.errors },
      stdin: { value: undefined },
      isCaptured: { value: true },
    }),
    settings: {
      ...session.settings,
      output: { ...session.settings.output, value: options.raw === true ? 'raw' : 'json' },
    },
    terminal: { ...terminal, color: false, progress: 'none' },
    progress: noProgress,
    notes: {
      say: (text) => void notes.push(['say', text]),
      done: (sentence) => void notes.push(['done', sentence]),
      confirmed: (sentence) => void notes.push(['confirmed', sentence]),
      redact: session.notes.redact,
      warn: (text) => void notes.push(['warn', text]),
      event: session.notes.event,
    },
    ...(isTable ? {} : { omitsIncomplete: true }),
  };
}

/** The options of a table apply to the table of all targets. */
function withoutTableOptions(options: Options, isTable: boolean): Options {
  const { wrap: _, noHeader: __, csvSafe: ___, time: ____, ...others } = options;
  if (!isTable) return others;
  const { fields: _fields, allFields: _allFields, ...rest } = others;
  return rest;
}
