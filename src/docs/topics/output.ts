/** Output formats. */
import type { Page } from '../page.ts';

/** `svc-output.7` */
export function outputPage(): Page {
  return {
    name: 'svc-output',
    section: 7,
    summary: 'output formats of svc',
    sections: [
      {
        title: 'Description',
        blocks: [
          {
            text: 'svc prints data to standard output and everything else to standard error. A command that fails before it receives data prints nothing to standard output.',
          },
        ],
      },
      {
        title: 'Formats',
        blocks: [
          {
            text: 'Select a format with `-o`, the variable SVC_OUTPUT or a profile. The default is a table, on a terminal and in a pipe.',
          },
          { term: 'table', text: 'For people. Its layout may change with any release.' },
          {
            term: 'json',
            text: 'The data as the service sent it. A list is one array, even if it has several pages.',
          },
          { term: 'ndjson', text: 'One JSON object per line, printed as soon as it arrives.' },
          {
            term: 'csv',
            text: 'RFC 4180. Add `--csv-safe` before you open text of other people in a spreadsheet.',
          },
          {
            term: 'tsv',
            text: 'One line per object, cells separated by tabs. Suits `cut`, `read` and `awk`.',
          },
          { term: 'yaml', text: 'One YAML document.' },
          { term: 'raw', text: 'The bytes of the response. Files are always printed as raw bytes.' },
        ],
      },
      {
        title: 'Writes',
        blocks: [
          {
            text: 'A command that writes prints one line of confirmation to standard error, such as "Created branch fix in acme/rocket"; `--quiet` omits it. "Scheduled" means that the service carries out the request later. The response is printed only with `-o`, `--json`, `--csv`, `--fields` or `--jq`, or if the service generated a value, such as the Markdown of an upload. The value of a secret that the command sets is printed as `***`.',
          },
        ],
      },
      {
        title: 'Fields',
        blocks: [
          {
            text: '`--fields` selects and orders fields in every format except raw. A period selects a field inside another one. `--fields help` lists the fields of a command. A field that is neither documented nor part of the first page is an error.',
          },
          {
            text: '`--all-fields` prints every field: as columns of a list, and the empty fields of an object on a terminal.',
          },
          {
            lines: [
              'svc jobs list --fields id,status,commit.author_name',
              'svc variables get API_URL --fields value -o tsv --no-header',
            ],
          },
        ],
      },
      {
        title: 'Order',
        blocks: [
          {
            text: '`--sort-by` sorts the results that svc fetched, after the last page: one page by default, everything with `--all`. A leading `-` reverses the order of a field; further fields follow after a comma. Empty values are last. Numbers are compared by value, times by instant, and text in the same order in every locale. Filters and orders of the service, such as `--order-by`, apply before.',
          },
          {
            lines: [
              'svc jobs list --all --sort-by -duration',
              'svc variables list --sort-by environment_scope,key',
            ],
          },
        ],
      },
      {
        title: 'jq programs',
        blocks: [
          {
            text: '`--jq` filters the result with the included jq engine. Its input is the whole result: all pages form one array. `-r` prints strings without quotes.',
          },
          {
            text: 'The result is JSON unless `-o` selects another format. Objects, or an array of objects, become rows of a table, csv or tsv, with the keys of the first results as columns. Other values are printed one per line. yaml prints any result.',
          },
          {
            lines: [
              "svc jobs list --scope failed --jq '.[].name' -r",
              "svc jobs list --all --jq 'map(.duration // 0) | add'",
              "svc jobs list --jq '.[] | {name, by: .user.username}' -o table",
            ],
          },
        ],
      },
      {
        title: 'Tables',
        blocks: [
          {
            text: 'Columns adapt to the width of the terminal: long texts are cut first, then columns that only describe are omitted. Identifiers are always complete, except that commit ids are shortened. `--wrap` wraps the text of a column that would be cut. With `--fields` and `--all-fields`, no column is omitted.',
          },
          {
            text: 'Times are relative on a terminal and in ISO 8601 format in a pipe; `--time` selects the format. Booleans are marked with a check mark on a terminal; in a pipe they are `true` and `false`. In a pipe, no cell is empty: a missing value is `-`.',
          },
          {
            text: 'A single object is printed with one field per line. On a terminal, empty fields are hidden. For scripts, use another format: it has the names and values of the API.',
          },
        ],
      },
      {
        title: 'Color',
        blocks: [
          {
            text: 'svc uses color on a terminal. `--color`, NO_COLOR, CLICOLOR, CLICOLOR_FORCE and TERM=dumb change that. Color alone never carries meaning. SVC_ACCESSIBLE=1 prints words instead of marks, one value per line, and no spinners.',
          },
        ],
      },
      {
        title: 'Web pages',
        blocks: [
          {
            text: '`--web` prints the URL of the page of an object. On a terminal it also opens the page, with the program that BROWSER names or the default browser, if the page is on the host of the service.',
          },
          { lines: ['svc users get 3 --web'] },
        ],
      },
      { title: 'See also', blocks: [{ text: 'svc(1), svc-config(5), svc-scripting(7).' }] },
    ],
  };
}
