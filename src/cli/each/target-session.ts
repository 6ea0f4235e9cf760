/** The session of one target: with the connection of all, and with its own output. */

import type { Note } from '../../spec/result.ts';
import type { Options } from '../argv/flags.ts';
import { requestsOutput } from '../call/print.ts';
import type { Session } from '../session/model.ts';
import { noProgress } from '../terminal/activity.ts';
import type { Output } from './output.ts';
import { formatOf, isTabular } from './results.ts';

/** Returns a function that opens the session of a target. Sessions with the same options share everything but their output. */
export function sessionOpener(session: Session) {
  const { screen: _, ...terminal } = session.terminal;
  const isTable = isTabular(formatOf(session)) && session.options.jq === undefined;
  // A table drops the options that request the response of a write.
  const isRequested = requestsOutput(session);
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
  return (options: Options, { data, errors, notes }: Output): Session => {
    if (last?.options !== options) last = { options, shared: shared(options) };
    const keep = (how: Note['how']) => (text: string) => void notes.push({ how, text });
    const { redact, event } = session.notes;
    return {
      ...last.shared,
      // The streams of the program are getters.
      context: Object.create(session.context, {
        stdout: { value: data },
        stderr: { value: errors },
        stdin: { value: undefined },
        isCaptured: { value: true },
      }),
      notes: {
        say: keep('say'),
        done: keep('done'),
        confirmed: keep('confirmed'),
        warn: keep('warn'),
        redact,
        event,
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
