/** Exit codes and errors. */
import type { Program } from '../model.ts';
import type { Page } from '../page.ts';

/** `svc-exit-codes.7` */
export function exitCodesPage({
  exitCodes,
  exitMeanings,
}: Pick<Program, 'exitCodes' | 'exitMeanings'>): Page {
  return {
    name: 'svc-exit-codes',
    section: 7,
    summary: 'exit codes of svc',
    sections: [
      {
        title: 'Description',
        blocks: [
          { text: 'svc exits with one of these codes. They are stable across releases.' },
          ...exitMeanings.map(([code, meaning]) => {
            const kinds = kindsOf(code, exitCodes);
            const names = kinds.length > 0 ? ` Kind in a JSON error: ${kinds.join(', ')}.` : '';
            return { term: String(code), text: `${meaning[0]?.toUpperCase()}${meaning.slice(1)}.${names}` };
          }),
          { text: 'If the reader of a pipe closes it, as `head` does, the code is 0.' },
        ],
      },
      {
        title: 'Errors',
        blocks: [
          {
            text: 'svc prints errors to standard error: a line that starts with `error:`, then details, then lines that start with `hint:`. With `--json`, `-o json`, `-o ndjson` or `SVC_OUTPUT=json`, it prints one JSON object instead, unless standard error is a terminal. `SVC_ERRORS=json` or `text` selects the format in any case:',
          },
          {
            lines: [
              '{"error":{"kind":"not_found","message":"...","status":404,',
              '  "method":"GET","url":"...","body":{},"request_id":"...","hint":"..."}}',
            ],
          },
        ],
      },
      {
        title: 'Examples',
        blocks: [
          { text: 'Distinguish a missing variable from other errors:' },
          {
            lines: [
              'svc variables get LOG_LEVEL --project acme/rocket >/dev/null',
              'case $? in',
              '  0) echo found ;;',
              `  ${exitCodes.not_found}) echo not found ;;`,
              '  *) echo failed >&2; exit 1 ;;',
              'esac',
            ],
          },
        ],
      },
      { title: 'See also', blocks: [{ text: 'svc(1), svc-config(5).' }] },
    ],
  };
}

/** Return the kinds of failure that have an exit code, as a JSON error names them. */
export function kindsOf(code: number, exitCodes: Program['exitCodes']): string[] {
  return Object.entries(exitCodes)
    .filter(([, value]) => value === code)
    .map(([kind]) => kind);
}
