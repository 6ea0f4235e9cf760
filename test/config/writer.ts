/**
 * A process that writes profiles. store.test.ts bundles it and starts it many times.
 * Arguments: the config folder, the name of the profile, and the task.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { saveProfile, updateProfiles } from '../../src/config/store.ts';

const [, , folder = '', name = '', task = 'save'] = process.argv;
const paths = { config: folder, profiles: path.join(folder, 'profiles.json'), own: true, remedy: '' };
const die = () => process.kill(process.pid, 'SIGKILL');

if (task === 'save') {
  for (let round = 1; round <= 3; round++) {
    await saveProfile(paths, name, { base_url: `https://${name}.example`, timeout: round });
  }
} else if (task === 'die with the lock') {
  await updateProfiles(paths, (data) => {
    die();
    return data;
  });
} else if (task === 'die before the rename') {
  fs.renameSync = die;
  syncBuiltinESMExports();
  await saveProfile(paths, name, { base_url: `https://${name}.example` });
} else if (task === 'write until killed') {
  for (let round = 1; ; round++) {
    const filler = String(round % 10).repeat(20_000);
    await updateProfiles(paths, (data) => ({
      ...data,
      profiles: { [name]: { output: filler, group: filler } },
    }));
    process.stdout.write('.');
  }
}
