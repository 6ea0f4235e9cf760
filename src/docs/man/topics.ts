/** The pages of the manual about settings and exit codes. */
import type { Program } from '../model.ts';
import { settings, sourcesOf } from '../settings.ts';
import type { Page } from './roff.ts';

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
            text: 'Whether to color, where `--color` is auto.',
          },
          { term: 'SVC_ACCESSIBLE', text: 'Set to 1: no spinner, no box drawing, one fact a line.' },
          {
            term: 'SVC_NO_INPUT, CI',
            text: 'Where either is set, nothing is ever asked, as with `--no-input`.',
          },
          {
            term: 'SVC_SOURCE_TOKEN',
            text: 'The access token for the instance that `svc migrations create` copies from.',
          },
          {
            term: 'SVC_VENDOR',
            text: 'The word after which a server names its own headers, as the name in X-Name-Blob-Id, where `--captcha-response` and `--spam-log-id` are to be sent under it.',
          },
          { term: 'SVC_CONFIG_DIR', text: 'The folder of the profile file. An absolute path.' },
          {
            term: 'XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME',
            text: 'Where these folders are, on Linux. A relative path is ignored.',
          },
          {
            term: 'NODE_DISABLE_COMPILE_CACHE',
            text: 'Set to 1: no compiled code is kept.',
          },
        ],
      },
      {
        title: 'Files',
        blocks: [
          {
            term: '$XDG_CONFIG_HOME/svc/profiles.json',
            text: 'The profiles, with their tokens. Without the variable: ~/.config/svc/profiles.json.',
          },
          {
            term: '$XDG_STATE_HOME/svc/sandbox',
            text: 'The state of the sandbox; see svc-sandbox(1). Without the variable: ~/.local/state/svc/sandbox.',
          },
          {
            term: '$XDG_STATE_HOME/svc/seen.json',
            text: 'Paths of projects and groups that commands worked with, for completion. No secret is among them.',
          },
          {
            term: '$XDG_CACHE_HOME/svc/completion',
            text: 'What completion asked the service for in the last minute. Without the variable: ~/.cache/svc/completion.',
          },
          {
            term: '$XDG_CACHE_HOME/svc/code',
            text: 'Compiled code of svc, so that it starts sooner. It is used only where no other user, and no checkout of a repository, can have put it: every folder of the path belongs to you or root, and nobody else can write to it.',
          },
          {
            text: 'On macOS the first three are below ~/Library/Application Support/svc (the state in its folder state) and the cache below ~/Library/Caches/svc; on Windows below %APPDATA%\\svc, %LOCALAPPDATA%\\svc\\state and %LOCALAPPDATA%\\svc\\cache. Compiled code stays in ~/.cache/svc/code, on Windows in %LOCALAPPDATA%\\svc\\code. All but the profiles may be deleted at any time.',
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
              '{"error":{"kind":"not_found","message":"...","status":404,',
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
              `  ${exitCodes.not_found}) echo missing ;;`,
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
