/** Use in shell scripts. */
import type { Page } from '../page.ts';

/** `svc-scripting.7` */
export function scriptingPage(): Page {
  return {
    name: 'svc-scripting',
    section: 7,
    summary: 'use of svc in shell scripts',
    sections: [
      {
        title: 'Description',
        blocks: [
          {
            text: 'Scripts can rely on the data on standard output in a machine format, the keys of JSON, the columns that `--fields` selects, and the exit code. Tables and messages may change.',
          },
        ],
      },
      {
        title: 'Lists',
        blocks: [
          {
            text: 'A list command requests one page of 20 results. `--limit N` follows pages until it has N results. `--all` fetches every page. If more results exist than were printed, svc says so on standard error. If a list ends before all results arrived that the service announced, svc prints a warning, and a command that decides by the list fails (exit code 8).',
          },
          { lines: ['svc jobs list --all -o ndjson --fields id,status'] },
          {
            text: '`--parallel N` requests up to N pages at once and prints them in order, with offset pagination. It has no effect if the service does not report the last page.',
          },
          { lines: ['svc jobs list --all --parallel 8 -o ndjson'] },
          {
            text: 'If a later page fails, the earlier results are already printed and the exit code is not 0. To keep only complete results, write to a temporary file and rename it:',
          },
          { lines: ['svc jobs list --all --json > jobs.json.part &&', '  mv jobs.json.part jobs.json'] },
        ],
      },
      {
        title: 'Writes',
        blocks: [
          {
            text: 'Destructive commands ask for confirmation on a terminal. In a script they require `--yes`. With `--no-input`, or if CI is set, svc never prompts.',
          },
          {
            text: '`--dry-run` prints the request as JSON and sends nothing. `--curl` prints it as a curl command.',
          },
        ],
      },
      {
        title: 'Retries',
        blocks: [
          {
            text: 'svc retries 429 and 503 for every request, and 500, 502, 504, connection resets and timeouts for reads only. It does not repeat a request whose response is interrupted after the headers, because a part may have been printed. It waits as long as Retry-After says. `--retries`, `--max-wait` and `--timeout` set the limits. `--retry-unsafe` retries writes too.',
          },
        ],
      },
      {
        title: 'Secrets',
        blocks: [
          {
            text: 'No flag accepts an access token. Set SVC_TOKEN, use `--token-file`, or store the token in a profile. Pass other secrets as `@file` or as `-` for standard input, so that they do not appear in the shell history or in process lists:',
          },
          { lines: ['printf %s "$SECRET" | svc variables set API_KEY - --masked'] },
        ],
      },
      {
        title: 'Requests without a command',
        blocks: [
          { text: '`svc api` sends any request, with the same retries, output flags and exit codes:' },
          { lines: ["svc api GET 'projects/{project}/jobs' -p acme/rocket --all --jq length"] },
        ],
      },
      {
        title: 'See also',
        blocks: [{ text: 'svc(1), svc-agents(7), svc-exit-codes(7), svc-output(7), svc-pipelines(7).' }],
      },
    ],
  };
}
