import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HttpError } from '../../src/sandbox/core/http-error.ts';
import { nest } from '../../src/sandbox/core/request/body.ts';
import { readParams } from '../../src/sandbox/core/request/read-params.ts';
import { type Endpoint, endpoint, nothing } from '../../src/spec/endpoint.ts';
import { bool, choice, datetime, file, hash, int, list, rows, text } from '../../src/spec/field.ts';
import { runs } from '../support/runs.ts';

const calls: Endpoint = endpoint('POST things', {
  section: '0',
  command: 'create',
  summary: 'Make a thing',
  returns: nothing,
  examples: [],
  takes: {
    title: text('Title', { maxLength: 5 }),
    count: int('Count', { min: 1 }),
    open: bool('Open'),
    labels: list(text('Label'), 'Labels'),
    kind: choice(['big', 'small'], 'Kind'),
    since: datetime('Since'),
    ids: list(int('Id'), 'Ids'),
    not: hash('Not', { author_id: int('Author') }),
    files: rows('Files', {
      path: text('Path', { required: true, maxLength: 5 }),
      action: choice(['create', 'move'], 'Action'),
    }),
    logo: file('Logo'),
  },
});

async function read(
  query: string,
  body?: string | Buffer | FormData | URLSearchParams,
  type?: string,
): Promise<unknown> {
  const request = new Request(`http://localhost/x${query}`, {
    method: 'POST',
    ...(body === undefined ? {} : { body }),
    ...(type === undefined ? {} : { headers: { 'content-type': type } }),
  });
  const bytes = new Uint8Array(await request.arrayBuffer());
  try {
    return (await readParams(calls, request, bytes)).values;
  } catch (error) {
    if (error instanceof HttpError) return [error.status, error.body];
    throw error;
  }
}

const json = (value: unknown) => read('', JSON.stringify(value), 'application/json');

describe('any text', () => {
  const word = fc.string({ unit: 'binary', minLength: 1 }).filter((value) => value.isWellFormed());

  test('is unchanged in a query and in JSON', async () => {
    await fc.assert(
      fc.asyncProperty(word, async (value) => {
        const labels = [value, `${value}!`];
        const query = labels.map((label) => `labels[]=${encodeURIComponent(label)}`).join('&');
        expect(await read(`?${query}`)).toEqual({ labels });
        expect(await json({ labels })).toEqual({ labels });
      }),
      { numRuns: runs },
    );
  });

  test('never throws as name of a form field', () => {
    const piece = fc.constantFrom('a', 'b', '[', ']', '[]', '[0]', '[a]', '__proto__', '%', '.');
    const name = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string()), { maxLength: 6 }), (pairs) => {
        try {
          nest(pairs);
        } catch (error) {
          expect(error).toBeInstanceOf(HttpError);
        }
        expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
      }),
      { numRuns: runs },
    );
  });
});
