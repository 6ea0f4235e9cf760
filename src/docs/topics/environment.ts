/** Settings, profiles, environment variables and files. */
import type { Page } from '../page.ts';
import { settings, sourcesOf } from '../settings.ts';

/** `svc-config.5` */
export function environmentPage(): Page {
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
            text: 'Profiles are stored in one JSON file with mode 0600, in a folder with mode 0700. `svc login` and `svc profiles set` write it, and you can edit it. Concurrent writes are safe. svc reports a file that it cannot parse and does not change it.',
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
            text: 'If 1, svc prints words instead of marks, one value per line, and no spinners. A locale without UTF-8 also replaces marks by ASCII text.',
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
            term: 'SVC_AUDIT_LOG',
            text: 'A file to which svc appends one line of JSON before each request that can change something, and one after it. A line has the members at, id, phase (intent or result), command, method, url, status and target. The result has no status if no response arrived. Secrets are masked, and parallel processes can share the file. If the file cannot be written, svc sends nothing and exits with 2.',
          },
          {
            term: 'SVC_READ_ONLY',
            text: 'If set and not 0, svc refuses every request but GET and HEAD, as with `--read-only`. No flag turns this off.',
          },
          {
            term: 'SVC_SOURCE_TOKEN',
            text: 'The access token for the source instance of `svc migrations create`.',
          },
          {
            term: 'SVC_DSN',
            text: 'The DSN that `svc error-tracking send` sends events to.',
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
            term: 'XDG_DATA_HOME',
            text: 'The base folder of manual pages and of the completion scripts for bash and zsh. A relative path is ignored.',
          },
          {
            term: 'MANPATH',
            text: 'Where `svc man install` writes, if it lists a folder in your home and not $XDG_DATA_HOME/man.',
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
            term: '$XDG_STATE_HOME/svc/journals',
            text: 'The records of `svc hooks forward` and of interrupted commands such as `svc hooks replay`. If you delete a record, its command starts again.',
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
            term: '$XDG_DATA_HOME/man',
            text: 'The pages that `svc man install` wrote. Default: ~/.local/share/man, also on macOS. `svc man uninstall` removes them.',
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
