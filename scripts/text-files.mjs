// A plugin of rolldown and Vite: import files of other languages as text.
import { readFile } from 'node:fs/promises';

export const textFiles = {
  name: 'svc-text-files',
  enforce: 'pre',
  async load(id) {
    if (!/\/completions\/[\w.]+$|\.md$/.test(id)) return;
    return { code: `export default ${JSON.stringify(await readFile(id, 'utf8'))};`, moduleType: 'js' };
  },
};
