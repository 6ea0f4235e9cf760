import { expect, test } from 'vitest';
import { parseStack } from '../../../src/tasks/error-tracking/stack.ts';

test('parses an uncaught exception of Node.js', () => {
  const text = `/app/main.js:3
  throw new TypeError('no fuel');
        ^

TypeError: no fuel
    at open (/app/main.js:3:9)
    at async Promise.all (index 0)
    at file:///app/run.mjs:7:1

Node.js v22.0.0`;
  expect(parseStack(text)).toEqual({
    type: 'TypeError',
    value: 'no fuel',
    frames: [
      { filename: 'file:///app/run.mjs', function: '<anonymous>', lineno: 7, colno: 1 },
      { filename: '/app/main.js', function: 'open', lineno: 3, colno: 9 },
    ],
  });
});

test('parses an exception of Java', () => {
  const text = `Exception in thread "main" java.io.IOException: disk full
\tat com.acme.Tank.fill(Tank.java:12)
\tat com.acme.Main.main(Main.java:3)`;
  expect(parseStack(text)).toEqual({
    type: 'java.io.IOException',
    value: 'disk full',
    frames: [
      { filename: 'Main.java', function: 'com.acme.Main.main', lineno: 3 },
      { filename: 'Tank.java', function: 'com.acme.Tank.fill', lineno: 12 },
    ],
  });
});

test('parses a traceback of Python, whose innermost frame is last', () => {
  const text = `Traceback (most recent call last):
  File "/app/main.py", line 9, in <module>
    fill()
  File "/app/tank.py", line 2, in fill
    raise ValueError("no fuel: empty")
ValueError: no fuel: empty`;
  expect(parseStack(text)).toEqual({
    type: 'ValueError',
    value: 'no fuel: empty',
    frames: [
      { filename: '/app/main.py', function: '<module>', lineno: 9 },
      { filename: '/app/tank.py', function: 'fill', lineno: 2 },
    ],
  });
});

test('finds no frames in other text', () => {
  for (const text of ['', 'hello', 'at last', '{"a": 1}', '    at '])
    expect(parseStack(text)).toBeUndefined();
});

test('parses long lines in linear time', () => {
  const start = performance.now();
  for (const text of [`at ${' ('.repeat(20_000)}`, `File "${'"'.repeat(50_000)}`, 'a:'.repeat(50_000)])
    parseStack(text);
  expect(performance.now() - start).toBeLessThan(2000);
});
