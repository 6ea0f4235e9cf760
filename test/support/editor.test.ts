import { expect, test } from 'vitest';
import { editorCommand } from '../../src/support/system/programs.ts';

test.each([
  [undefined, 'vi "$1"'],
  ['', 'vi "$1"'],
  ['code --wait', 'code --wait "$1"'],
  ['emacsclient -c -a ""', 'emacsclient -c -a "" "$1"'],
])('lets sh read the variable %j', (editor, line) => {
  expect(editorCommand(editor, "/tmp/it's", 'linux')).toEqual([
    'sh',
    '-c',
    `trap : INT QUIT; ${line}`,
    'sh',
    "/tmp/it's",
  ]);
});

test.each([
  [undefined, ['notepad']],
  ['code --wait', ['code', '--wait']],
  [
    '"C:\\Program Files\\Notepad++\\notepad++.exe" -multiInst',
    ['C:\\Program Files\\Notepad++\\notepad++.exe', '-multiInst'],
  ],
  ['C:\\tools\\vim.exe', ['C:\\tools\\vim.exe']],
])('on Windows, splits %j and keeps backslashes', (editor, words) => {
  expect(editorCommand(editor, 'C:\\Temp\\a b.txt', 'win32')).toEqual([...words, 'C:\\Temp\\a b.txt']);
});
