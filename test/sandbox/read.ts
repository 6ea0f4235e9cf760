/** Reads the parameters of requests to a fictitious endpoint. */
import { HttpError } from '../../src/sandbox/core/http-error.ts';
import { readParams } from '../../src/sandbox/core/request/read-params.ts';
import { inArea } from '../../src/spec/compose.ts';
import { bool, choice, datetime, file, hash, int, list, rows, text } from '../../src/spec/field.ts';

const things = inArea('things', { noun: 'thing' })('POST things', {
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

/** Return the parameters, or the status and body of the error. */
export async function read(
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
    return (await readParams(things.takes, request, bytes)).values;
  } catch (error) {
    if (error instanceof HttpError) return [error.status, error.body];
    throw error;
  }
}

export const json = (value: unknown) => read('', JSON.stringify(value), 'application/json');
