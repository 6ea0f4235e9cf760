type Shown = Record<string, unknown>;

/** Change every object of a JSON response, for example to remove fields that depend on the row or the caller. */
export async function reshape(response: Response, change: (shown: Shown) => Shown): Promise<Response> {
  const body = JSON.parse(await response.text());
  const changed = Array.isArray(body) ? body.map(change) : change(body);
  return new Response(JSON.stringify(changed), { status: response.status, headers: response.headers });
}

/** Return a copy without these attributes. */
export function without(shown: Shown, names: readonly string[]): Shown {
  return Object.fromEntries(Object.entries(shown).filter(([name]) => !names.includes(name)));
}

/** Return a copy with only these attributes, in their original order. */
export function only(shown: Shown, names: readonly string[]): Shown {
  return Object.fromEntries(Object.entries(shown).filter(([name]) => names.includes(name)));
}
