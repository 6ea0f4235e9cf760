import { conditionOf, type When } from './flags.ts';

/** The commands that accept a flag, by its condition. */
const commandsWith: Readonly<Record<When, string>> = {
  list: 'that return a list in pages, such as svc jobs list',
  data: 'that print data, such as svc jobs list',
  file: 'whose response is a file, such as svc license usage',
  web: 'that show an object with a web page, such as svc branches get',
  raw: 'that return the content of a file, such as svc files raw',
  download: 'that save a file, such as svc files raw',
  table: 'that return a list, such as svc jobs list',
  body: 'that send a request body, such as svc variables create',
  upload: 'that upload a file, such as svc uploads create',
  write: 'that change something, such as svc variables create',
  confirm: 'that ask for confirmation, such as svc variables delete',
  severe: 'that ask for the name of the resource, such as svc branches delete-merged',
  watch: 'that read data, such as svc jobs list',
  wait: 'that start or show a background task, such as svc migrations create',
  export: 'that create a document, such as svc dependency-exports create',
};

/** The error for a flag that other commands accept; undefined for any other flag. */
export function flagElsewhere(typed: string, path: string): { message: string; hint: string } | undefined {
  const found = conditionOf(typed);
  return (
    found && {
      message: `${path} does not accept ${found.flag}`,
      hint: `${found.flag} is for commands ${commandsWith[found.when]}`,
    }
  );
}
