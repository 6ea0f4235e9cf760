/** Flags of other programs that users type by habit, and the flags of `svc` for the same purpose. */
const guesses: Readonly<Record<string, readonly string[]>> = {
  '--format': ['--output'],
  '-F': ['--output'],
  '--template': ['--jq'],
  '--query': ['--jq'],
  '--columns': ['--fields'],
  '--select': ['--fields'],
  '--repo': ['--project', '--group'],
  '-R': ['--project', '--group'],
  '--repository': ['--project', '--group'],
  '--namespace': ['--group', '--project'],
  '-n': ['--group', '--project'],
  '--org': ['--group', '--project'],
  '--owner': ['--group', '--project'],
  '--host': ['--base-url'],
  '--hostname': ['--base-url'],
  '--server': ['--base-url'],
  '--url': ['--base-url'],
  '--api-url': ['--base-url'],
  '--context': ['--profile'],
  '--account': ['--profile'],
  '--message': ['--commit-message'],
  '--branch': ['--ref'],
  '-b': ['--ref', '--branch'],
  '--max': ['--limit'],
  '--max-results': ['--limit'],
  '--count': ['--limit'],
  '-l': ['--limit'],
  '--page-size': ['--per-page'],
  '-P': ['--per-page'],
  '--paginate': ['--all'],
  '--no-prompt': ['--no-input'],
  '--non-interactive': ['--no-input'],
  '--batch': ['--no-input'],
  '--debug': ['--trace'],
  '-v': ['--verbose'],
  '--silent': ['--quiet'],
  '-s': ['--quiet'],
  '--force': ['--yes'],
  '--confirm': ['--yes'],
  '--env': ['--environment-scope'],
  '--environment': ['--environment-scope'],
  '--scope': ['--environment-scope'],
  '-e': ['--environment-scope'],
  '--cacert': ['--ca-file'],
  '-k': ['--insecure'],
  '-w': ['--web'],
  '--insecure-skip-tls-verify': ['--insecure'],
  '--with-token': ['--token-stdin'],
  '--stdin': ['--token-stdin'],
  '--no-color': ['--color'],
};

const tokenFlags = new Set(['--token', '--private-token', '--access-token', '--pat', '--password', '-t']);

/** Return the hint for a flag that `svc` or this command does not have, if users of other programs know the flag. */
export function guessFlag(flag: string, known: readonly string[]): string[] {
  if (tokenFlags.has(flag))
    return ['set SVC_TOKEN or use --token-file <path>, because other users can see the command line'];
  if (flag === '--job-token') return ['set SVC_JOB_TOKEN, because other users can see the command line'];
  const right = (Object.hasOwn(guesses, flag) ? guesses[flag] : undefined)?.find((one) =>
    known.includes(one),
  );
  return right === undefined ? [] : [`Did you mean ${right}?`];
}
