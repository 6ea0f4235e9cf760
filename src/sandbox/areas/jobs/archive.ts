/** Artifacts of jobs: archives of the size that the job states, the same in every run. */
import { unzipSync, zipSync } from 'fflate';
import type { Job } from '../../core/rows.ts';

/** ZIP stores times of the year 1980 and later. */
const time = new Date(1980, 0, 1);

const packed = (files: Record<string, Uint8Array>): Uint8Array => zipSync(files, { level: 0, mtime: time });

/** Return the archive of a job; undefined if it has none. */
export function archiveOf(job: Job): Uint8Array | undefined {
  const { artifacts_size: size } = job;
  if (!size) return undefined;
  const summary = `job ${job.id}\nname ${job.name}\nstatus ${job.status}\n`;
  const files = {
    'report/summary.txt': Buffer.from(summary),
    'build/rocket.bin': new Uint8Array(0),
  };
  const rest = Math.max(0, size - packed(files).length);
  return packed({ ...files, 'build/rocket.bin': new Uint8Array(rest).fill(job.id % 251) });
}

export const fileOf = (archive: Uint8Array, path: string): Uint8Array | undefined =>
  unzipSync(archive, { filter: ({ name }) => name === path })[path];
