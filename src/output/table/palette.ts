/**
 * What a status word means, and the color of each meaning. Colors are those of the terminal's own palette that read on a
 * dark and on a light background; yellow and bright colors do not, and are left out. The word itself always says it too.
 *
 * | meaning | color |
 * |---|---|
 * | good: done and well | green |
 * | bad: failed | red |
 * | busy: at work | cyan |
 * | waiting: nothing happens yet, or somebody has to act | magenta |
 * | idle: over, without a result | dim |
 */
export type Meaning = 'good' | 'bad' | 'busy' | 'waiting' | 'idle';

export const palette = { good: 'green', bad: 'red', busy: 'cyan', waiting: 'magenta', idle: 'dim' } as const;

/** Names of fields that hold a status: `state`, `pipeline.status`, `alert_status`. */
export const statusName = /(?:^|[._])(?:status|state)$/;

/** The words of each meaning, with blanks between them. */
export const statuses: Readonly<Record<Meaning, string>> = {
  good: 'success successful passed finished complete completed done active enabled merged opened open ok valid delivered executable online',
  bad: 'failed failure fail error blocked banned broken invalid expired timeout deactivated offline',
  busy: 'running started in_progress canceling',
  waiting:
    'pending created preparing scheduled manual queued waiting_for_resource waiting_for_callback awaiting warn',
  idle: 'canceled cancelled skipped closed disabled inactive archived stale locked temporarily_disabled',
};

const httpStatus = /^[1-5]\d\d$/;

/** What a status word, or the status of an HTTP answer, means, whatever its case; undefined for a word that nobody knows. */
export function meaning(word: string): Meaning | undefined {
  if (httpStatus.test(word)) return word < '400' ? 'good' : 'bad';
  const plain = word.toLowerCase();
  for (const [key, known] of Object.entries(statuses)) {
    if (known.split(' ').includes(plain)) return key as Meaning;
  }
  return undefined;
}
