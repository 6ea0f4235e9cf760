/** Print the results of a jq program: as JSON, one per line, or as rows of another format. */
import { Failure } from '../../../errors.ts';
import { printable } from '../../../output/text.ts';
import { isRecord } from '../../../support/record.ts';
import type { Session } from '../../session/model.ts';
import { readOutputOptions } from '../output-options.ts';

export interface Results {
  /** @param text compact JSON, one result per line */
  print(text: string): Promise<void>;
  end(): Promise<void>;
}

/** Open the output for the results: JSON, unless a flag requests a format of rows. */
export async function openResults(session: Session): Promise<Results> {
  const { value, source } = session.settings.output;
  const rows = source === 'flag' && value !== 'json' && value !== 'ndjson';
  return rows ? asRows(session) : asJson(session);
}

async function asJson({ options, terminal, context }: Session): Promise<Results> {
  const { Sink } = await import('../../../output/sink.ts');
  const { indent } = await import('../../../output/json/layout.ts');
  const { jsonGuard } = await import('../../../output/guard.ts');
  const raw = options.rawStrings === true;
  const sink = new Sink(context.stdout);
  const shown = (line: string): string => {
    if (raw && line.startsWith('"')) {
      const text: string = JSON.parse(line);
      return terminal.screen ? printable(text, { multiline: true }) : text;
    }
    return terminal.screen ? String(jsonGuard(indent(Buffer.from(line)))) : line;
  };
  return {
    async print(text) {
      if (text !== '') await sink.write(`${text.split('\n').map(shown).join('\n')}\n`);
    },
    end: () => sink.settle(),
  };
}

async function asRows(session: Session): Promise<Results> {
  const { createOutput } = await import('../../../output/index.ts');
  // The program has already processed the fields.
  const { fields: _, wrap: __, ...options } = readOutputOptions(session);
  const output = createOutput(options, session.context.stdout);
  return {
    async print(text) {
      const rows = text === '' ? [] : text.split('\n').flatMap((line) => rowsOf(line, options.format));
      await output.page(
        (async function* () {
          yield Buffer.from(`[${rows.join(',')}]`);
        })(),
      );
    },
    async end() {
      await output.endList();
    },
  };
}

/** The objects of one result, as JSON text. @throws Failure `internal` for any other result */
function rowsOf(line: string, format: string): string[] {
  const value: unknown = JSON.parse(line);
  if (isRecord(value)) return [line];
  if (Array.isArray(value) && value.every(isRecord)) return value.length === 0 ? [] : [line.slice(1, -1)];
  throw new Failure('internal', `--jq: -o ${format} requires objects, but a result is not an object`, {
    hint: 'use -o json, or build objects: {name: .}',
  });
}
