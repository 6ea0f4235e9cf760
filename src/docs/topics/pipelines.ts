/** Use in CI/CD pipelines. */
import type { TopicInput } from '../model.ts';
import type { Page } from '../page.ts';
import { settings } from '../settings.ts';

/** `svc-pipelines.7` */
export function pipelinesPage({ exitCodes }: Pick<TopicInput, 'exitCodes'>): Page {
  return {
    name: 'svc-pipelines',
    section: 7,
    summary: 'use of svc in CI/CD pipelines',
    sections: [
      {
        title: 'Settings',
        blocks: [
          {
            text: 'svc reads these predefined variables of a job, so that it needs no login, profile or flag. Flags, SVC_ variables and profiles override them. `svc config explain` prints each setting and its source.',
          },
          ...settings.flatMap(({ name, pipeline }) =>
            pipeline === undefined ? [] : [{ term: name, text: `${pipeline}.` }],
          ),
          { text: 'If CI is set, svc never prompts. Destructive commands require `--yes`.' },
        ],
      },
      {
        title: 'Tokens',
        blocks: [
          {
            text: 'Few endpoints accept the job token. For others, use a project or group access token with the lowest sufficient role and scope. Pass it in one of these ways:',
          },
          { term: 'SVC_TOKEN', text: 'A masked CI/CD variable. svc sends it instead of the job token.' },
          { term: '--token-file "$TOKEN_FILE"', text: 'A CI/CD variable of type file.' },
          { text: '`--auth job` and `--auth access` select a token if both are set.' },
        ],
      },
      {
        title: 'Exit codes',
        blocks: [
          {
            text: `A job can allow or retry specific errors. Codes ${exitCodes.network}, ${exitCodes.rate_limited} and ${exitCodes.server_error} justify another attempt. Code ${exitCodes.not_found} means that the resource does not exist.`,
          },
          {
            lines: [
              'release-is-frozen:',
              '  script:',
              '    - svc variables get RELEASE_FREEZE',
              '  allow_failure:',
              `    exit_codes: [${exitCodes.not_found}]`,
              '',
              'count-jobs:',
              '  script:',
              '    - svc jobs list --all --jq length',
              '  retry:',
              '    max: 2',
              `    exit_codes: [${exitCodes.network}, ${exitCodes.rate_limited}, ${exitCodes.server_error}]`,
            ],
          },
        ],
      },
      {
        title: 'Example',
        blocks: [
          { text: 'Remember the released version in a variable when a tag is pushed:' },
          {
            lines: [
              'remember-release:',
              '  rules:',
              '    - if: $CI_COMMIT_TAG',
              '  script:',
              '    - svc variables set LAST_RELEASE "$CI_COMMIT_TAG"',
            ],
          },
        ],
      },
      {
        title: 'See also',
        blocks: [{ text: 'svc(1), svc-config(5), svc-exit-codes(7), svc-scripting(7).' }],
      },
    ],
  };
}
