import fc from 'fast-check';

/** Random cases per property: 200, and 1,000 in CI. `PROPERTY_RUNS` sets another number. */
export const runs = Number(process.env['PROPERTY_RUNS']);

fc.configureGlobal({ numRuns: runs });

type Arbitraries<Ts extends readonly unknown[]> = { readonly [K in keyof Ts]: fc.Arbitrary<Ts[K]> };

/** Check a law for random values: the arbitraries, then the law. */
export function forAll<Ts extends [unknown, ...unknown[]]>(
  ...law: [...arbitraries: Arbitraries<Ts>, law: (...values: Ts) => boolean | undefined]
): void {
  fc.assert(fc.property<Ts>(...(law as Parameters<typeof fc.property<Ts>>)));
}

/** The same for a law that returns a promise. */
export function forAllAsync<Ts extends [unknown, ...unknown[]]>(
  ...law: [...arbitraries: Arbitraries<Ts>, law: (...values: Ts) => Promise<boolean | undefined>]
): Promise<void> {
  return fc.assert(fc.asyncProperty<Ts>(...(law as Parameters<typeof fc.asyncProperty<Ts>>)));
}
