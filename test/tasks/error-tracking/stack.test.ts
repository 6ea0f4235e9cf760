import { expect, test } from 'vitest';
import { parseStack } from '../../../src/tasks/error-tracking/send.ts';

test('parses an uncaught exception of Node.js', () => {
  const text = `/app/main.js:3
  throw new TypeError('no fuel');
        ^

TypeError: no fuel
    at open (/app/main.js:3:9)
    at async Promise.all (index 0)
    at file:///app/run.mjs:7:1

Node.js v22.0.0`;
  expect(parseStack(text)).toEqual([
    {
      type: 'TypeError',
      value: 'no fuel',
      frames: [
        { filename: 'file:///app/run.mjs', function: '<anonymous>', lineno: 7, colno: 1 },
        { filename: '/app/main.js', function: 'open', lineno: 3, colno: 9 },
      ],
    },
  ]);
});

const shown = ({ type, value, frames }: ReturnType<typeof parseStack>[number]) =>
  `${type}: ${value} (${frames.map((one) => `${one.function} ${one.filename}:${one.lineno}`)})`;

test.each([
  [
    'Java',
    'Exception in thread "main" java.lang.IllegalStateException: boom\r\n\tat x.A.f(A.java:10)\r\n\tat x.B.main(B.java:5)\r\n\tSuppressed: x.Closed: gone\r\n\t\tat x.D.close(D.java:2)\r\n\t\t... 1 more\r\nCaused by: java.io.IOException: disk\r\n\tat x.C.g(C.java:1)\r\n\t... 1 more\r\n',
    [
      'java.io.IOException: disk (x.C.g C.java:1)',
      'java.lang.IllegalStateException: boom (x.B.main B.java:5,x.A.f A.java:10)',
    ],
  ],
  [
    'Node.js',
    'Error: outer\n    at f (/app/x.js:2:1)\n    at main (/app/x.js:8:1) {\n  [cause]: TypeError: inner\n      at g (/app/y.js:1:1)\n      ... 2 lines matching cause stack trace ...\n}\n',
    ['TypeError: inner (g /app/y.js:1)', 'Error: outer (main /app/x.js:8,f /app/x.js:2)'],
  ],
  [
    'Python',
    'Traceback (most recent call last):\n  File "a.py", line 1, in load\nFileNotFoundError: no file\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File "b.py", line 9, in main\nValueError: no config\n',
    ['FileNotFoundError: no file (load a.py:1)', 'ValueError: no config (main b.py:9)'],
  ],
  [
    'Ruby 3.4',
    "a.rb:3:in 'f': outer (RuntimeError)\n\tfrom a.rb:9:in '<main>'\nb.rb:1:in 'g': inner: worse (KeyError)\n\tfrom a.rb:2:in 'f'\n",
    ['KeyError: inner: worse (f a.rb:2,g b.rb:1)', 'RuntimeError: outer (<main> a.rb:9,f a.rb:3)'],
  ],
  [
    'Ruby 3.3',
    "a.rb:3:in `f': outer (RuntimeError)\n\tfrom a.rb:9:in `<main>'\nb.rb:1:in `g': inner (IO::EAGAINWaitReadable)\n\tfrom a.rb:2:in `f'\n",
    ['IO::EAGAINWaitReadable: inner (f a.rb:2,g b.rb:1)', 'RuntimeError: outer (<main> a.rb:9,f a.rb:3)'],
  ],
])('separates an exception of %s from its cause, which comes first', (_, text, expected) => {
  expect(parseStack(text).map(shown)).toEqual(expected);
});

test('finds no frames in other text', () => {
  for (const text of ['', 'hello', 'at last', '{"a": 1}', '    at ']) expect(parseStack(text)).toEqual([]);
});
