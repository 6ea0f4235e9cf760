/** The manual pages about settings and exit codes. */
import type { Program } from '../model.ts';
import { settings, sourcesOf } from '../settings.ts';
import type { Page } from './roff.ts';

/** `svc-config.5` */
export function configPage(): Page {
  return {
    name: 'svc-config',
    section: 5,
    summary: 'settings of svc and their sources',
    sections: [
      {
        title: 'Description',
        blocks: [
          {
            text: 'svc reads each setting from the first source that sets it: a flag, the environment, the profile, the predefined variables of a CI/CD pipeline, or the default. `svc config explain` prints each setting in effect and its source, with secrets masked. svc never reads settings from the current folder.',
          },
        ],
      },
      {
        title: 'Settings',
        blocks: settings.map((setting) => ({
          term: setting.name,
          text: `${setting.description}.`,
          below: [`Sources: ${sourcesOf(setting).join('; ')}.`],
        })),
      },
      {
        title: 'Profiles',
        blocks: [
          {
            text: 'Profiles are stored in one JSON file with mode 0600, in a folder with mode 0700. `svc auth login` and `svc profiles set` write it, and you can edit it. Concurrent writes are safe. svc reports a file that it cannot parse and does not change it.',
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
            text: 'Whether to use color if `--color` is auto.',
          },
          {
            term: 'SVC_ACCESSIBLE',
            text: 'If 1, svc prints no spinners and no box drawing, and one value per line.',
          },
          {
            term: 'SVC_ERRORS',
            text: 'The format of errors: `json`, or `text`. By default, JSON with the output formats json and ndjson, but text on a terminal.',
          },
          {
            term: 'SVC_NO_INPUT, CI',
            text: 'If either is set, svc never prompts, as with `--no-input`.',
          },
          {
            term: 'SVC_SOURCE_TOKEN',
            text: 'The access token for the source instance of `svc migrations create`.',
          },
          {
            term: 'SVC_VENDOR',
            text: 'The vendor name in the custom headers of the server, such as Name in X-Name-Blob-Id. `--captcha-response` and `--spam-log-id` are sent in headers with this name.',
          },
          { term: 'SVC_CONFIG_DIR', text: 'The folder of the profile file, as an absolute path.' },
          {
            term: 'XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME',
            text: 'The base folders on Linux. A relative path is ignored.',
          },
          {
            term: 'NODE_DISABLE_COMPILE_CACHE',
            text: 'If 1, svc does not cache compiled code.',
          },
        ],
      },
      {
        title: 'Files',
        blocks: [
          {
            term: '$XDG_CONFIG_HOME/svc/profiles.json',
            text: 'The profiles and their tokens. Default: ~/.config/svc/profiles.json.',
          },
          {
            term: '$XDG_STATE_HOME/svc/sandbox',
            text: 'The state of the sandbox. See svc-sandbox(1). Default: ~/.local/state/svc/sandbox.',
          },
          {
            term: '$XDG_STATE_HOME/svc/seen.json',
            text: 'Paths of recently used projects and groups, for completion. Contains no secrets.',
          },
          {
            term: '$XDG_CACHE_HOME/svc/completion',
            text: 'Values that completion requested from the service in the last minute. Default: ~/.cache/svc/completion.',
          },
          {
            term: '$XDG_CACHE_HOME/svc/code',
            text: 'Compiled code of svc, which makes it start faster. It is used only if no other user can have written it: each folder of the path must belong to you or root and be writable by no other user. It is not used inside a checkout of a repository.',
          },
          {
            text: 'On macOS, the first three are in ~/Library/Application Support/svc (the state in its folder state), and the cache is in ~/Library/Caches/svc. On Windows, they are in %APPDATA%\\svc, %LOCALAPPDATA%\\svc\\state and %LOCALAPPDATA%\\svc\\cache. Compiled code is in ~/.cache/svc/code, on Windows in %LOCALAPPDATA%\\svc\\code. You can delete everything except the profiles at any time.',
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
