type Shown = Record<string, unknown>;

/**
 * A JSON answer with every object of it changed: for fields that hang on the row, or on who asks.
 * Status and headers stay.
 */
export async function reshape(response: Response, change: (shown: Shown) => Shown): Promise<Response> {
  const body = (await response.json()) as Shown | Shown[];
  const changed = Array.isArray(body) ? body.map(change) : change(body);
  return new Response(JSON.stringify(changed), { status: response.status, headers: response.headers });
}

/** Without the attributes of these names. */
export function without(shown: Shown, names: readonly string[]): Shown {
  return Object.fromEntries(Object.entries(shown).filter(([name]) => !names.includes(name)));
}

/** The attributes of these names alone, in their own order. */
export function only(shown: Shown, names: readonly string[]): Shown {
  return Object.fromEntries(Object.entries(shown).filter(([name]) => names.includes(name)));
}
