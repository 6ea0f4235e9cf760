/** The pages of the manual that are about no single command: settings, exit codes, the sandbox. */

import { builtinCommandBlocks } from './man-blocks.ts';
import { type Builtin, type GlobalFlag, type Program, standsAlone } from './model.ts';
import type { Block, Page } from './roff.ts';
import { settings, sourcesOf } from './settings.ts';

/** `svc-config.5` */
export function configPage(): Page {
  return {
    name: 'svc-config',
    section: 5,
    summary: 'where svc finds its settings',
    sections: [
      {
        title: 'Description',
        blocks: [
          {
            text: 'A setting comes from the first of these that gives it: the flag, the environment, the profile, the variables of a CI pipeline, the default. `svc config explain` prints each setting in force, with secrets masked, and which of these gave it. Nothing in the current folder is ever read as configuration.',
          },
        ],
      },
      {
        title: 'Settings',
        blocks: settings.map((setting) => ({
          term: setting.name,
          text: `${setting.does}.`,
          below: [`From: ${sourcesOf(setting).join('; ')}.`],
        })),
      },
      {
        title: 'Profiles',
        blocks: [
          {
            text: 'Profiles are kept in one JSON file, mode 0600 in a folder of mode 0700. `svc auth login` and `svc profiles set` write it; it may be edited by hand. Two svc that write at once lose nothing. A file that can not be parsed is reported and left as it is.',
          },
          {
            lines: [
              '{',
              '  "current": "work",',
              '  "profiles": {',
              '    "work": {',
              '      "base_url": "https://host.example",',
              '      "token_command": "pass show work/token",',
              '      "project": "acme/rocket"',
              '    }',
              '  }',
              '}',
            ],
          },
        ],
      },
      {
        title: 'Environment',
        blocks: [
          {
            term: 'NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM',
            text: 'Whether to colour, where `--color` is auto.',
          },
          { term: 'SVC_ACCESSIBLE', text: 'Set to 1: no spinner, no box drawing, one fact a line.' },
          { term: 'SVC_CONFIG_DIR', text: 'The folder of the profile file. An absolute path.' },
          {
            term: 'XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME',
            text: 'Where these folders are, on Linux.',
          },
        ],
      },
      {
        title: 'Files',
        blocks: [
          {
            term: '$XDG_CONFIG_HOME/svc/profiles.json',
            text: 'The profiles. Without the variable: ~/.config/svc/profiles.json. On macOS below ~/Library/Application Support/svc, on Windows below %APPDATA%\\svc.',
          },
        ],
      },
      { title: 'See also', blocks: [{ text: 'svc(1), svc-exit-codes(7), svc-sandbox(1).' }] },
    ],
  };
}

/** `svc-exit-codes.7` */
export function exitCodesPage({
  exitCodes,
  exitMeanings,
}: Pick<Program, 'exitCodes' | 'exitMeanings'>): Page {
  return {
    name: 'svc-exit-codes',
    section: 7,
    summary: 'what the exit codes of svc mean',
    sections: [
      {
        title: 'Description',
        blocks: [
          { text: 'svc ends with one of these codes, and keeps to them from release to release.' },
          ...exitMeanings.map(([code, meaning]) => {
            const kinds = kindsOf(code, exitCodes);
            const names = kinds.length > 0 ? ` In JSON: ${kinds.join(', ')}.` : '';
            return { term: String(code), text: `${meaning[0]?.toUpperCase()}${meaning.slice(1)}.${names}` };
          }),
          { text: 'A reader that goes away, as `head` does, is no error: the code is 0.' },
        ],
      },
      {
        title: 'Errors',
        blocks: [
          {
            text: 'An error is told on standard error: one line that begins with `svc:`, then what helps. With `--json`, or with `-o json` or `-o ndjson`, it is one JSON object instead:',
          },
          {
            lines: [
              '{"error":{"kind":"missing","message":"...","status":404,',
              '  "method":"GET","url":"...","body":{},"request_id":"...","hint":"..."}}',
            ],
          },
        ],
      },
      {
        title: 'Examples',
        blocks: [
          { text: 'Do one thing if a variable is missing, another if anything else went wrong:' },
          {
            lines: [
              'svc variables get LOG_LEVEL --project acme/rocket >/dev/null',
              'case $? in',
              '  0) echo there ;;',
              `  ${exitCodes.missing}) echo missing ;;`,
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

/** The kinds of failure that end with a code; its name in a JSON error. */
export function kindsOf(code: number, exitCodes: Program['exitCodes']): string[] {
  return Object.entries(exitCodes)
    .filter(([, value]) => value === code)
    .map(([kind]) => kind);
}

/** `svc-sandbox.1` */
export function sandboxPage(builtins: readonly Builtin[], globals: readonly GlobalFlag[]): Page {
  const sandbox = builtins.find(({ name }) => name === 'sandbox');
  const flag = globals.find(({ name }) => name === 'sandbox');
  const blocks: Block[] = sandbox
    ? sandbox.commands.flatMap((command) => builtinCommandBlocks(sandbox, command))
    : [];
  return {
    name: 'svc-sandbox',
    section: 1,
    summary: 'a service of this API inside svc, to try and to test',
    sections: [
      {
        title: 'Synopsis',
        blocks: [
          {
            lines: [
              'svc --sandbox <area> <command> [arguments] [flags]',
              ...(sandbox && !standsAlone(sandbox) ? ['svc sandbox <command> [flags]'] : []),
            ],
          },
        ],
      },
      {
        title: 'Description',
        blocks: [
          {
            text: 'The sandbox is a service that answers the same API on a loopback port of this machine, with a small world that is the same each time: users of each role, the group acme, the project acme/rocket with its jobs, variables and files. It listens to this machine only and sends nothing elsewhere, but to the addresses of webhooks that you give it.',
          },
          ...(flag
            ? [
                {
                  text: `\`--sandbox\` before or behind any command: ${flag.doc.toLowerCase()}. What the command changes is there for the next one.`,
                },
              ]
            : []),
          {
            text: 'Other clients of this API can use it too: `svc sandbox status --json` gives its base URL and a token for each role.',
          },
        ],
      },
      ...(blocks.length > 0 ? [{ title: 'Commands', blocks }] : []),
      {
        title: 'Examples',
        blocks: [
          { text: 'Look around:' },
          { lines: ['svc --sandbox jobs list --project acme/rocket'] },
          { text: 'Run the tests of a program against a fresh service:' },
          { lines: ['svc sandbox exec -- npm test'] },
        ],
      },
      { title: 'See also', blocks: [{ text: 'svc(1), svc-config(5), svc-exit-codes(7).' }] },
    ],
  };
}
