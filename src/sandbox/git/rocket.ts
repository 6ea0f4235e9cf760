/** The files of acme/rocket, and their edits in later commits. */

export const readme = `# Rocket

Acme's rocket, in numbers: a small simulation of a launch, from ignition to the top of its flight.

## Run it

    node src/main.ts

## Where to look

- \`src/main.ts\` steps through the flight
- \`src/engine/thrust.ts\` knows the engines
- \`docs/guide.md\` explains the physics
`;

export const packageJson = `{
  "name": "rocket",
  "version": "0.1.0",
  "private": true,
  "type": "module",
  "scripts": {
    "start": "node src/main.ts",
    "test": "node --test"
  },
  "dependencies": {
    "picocolors": "^1.1.1",
    "string-width": "^4.2.3"
  },
  "devDependencies": {
    "typescript": "^5.9.3"
  },
  "engines": {
    "node": ">=22.18"
  }
}
`;

export const main = `import { thrust } from './engine/thrust.ts';

const gravity = 9.81;
const mass = 5000;
const step = 0.1;

let altitude = 0;
let velocity = 0;
let seconds = 0;

while (velocity >= 0) {
  const force = thrust(seconds) - mass * gravity;
  velocity += (force / mass) * step;
  altitude += velocity * step;
  seconds += step;
}

console.log(\`top of the flight: \${altitude.toFixed(0)} m\`);
`;

export const mainPrintsAltitude = [
  [
    `  seconds += step;
}
`,
    `  seconds += step;
  report();
}
`,
  ],
  [
    `while (velocity >= 0) {`,
    `/** One line for each whole second. */
function report(): void {
  if (Math.floor(seconds) === Math.floor(seconds - step)) return;
  console.log(\`\${seconds.toFixed(0).padStart(4)} s  \${altitude.toFixed(0).padStart(7)} m\`);
}

while (velocity >= 0) {`,
  ],
] as const;

export const mainCountsFuel = [
  [
    `import { thrust } from './engine/thrust.ts';

const gravity = 9.81;
const mass = 5000;
`,
    `import { flow, thrust } from './engine/thrust.ts';

const gravity = 9.81;
const dry = 2000;
`,
  ],
  [`let altitude = 0;`, `let fuel = 3000;\nlet altitude = 0;`],
  [
    `  const force = thrust(seconds) - mass * gravity;
`,
    `  const mass = dry + fuel;
  const force = thrust(seconds) - mass * gravity;
`,
  ],
  [`  seconds += step;\n  report`, `  fuel -= flow(seconds) * step;\n  seconds += step;\n  report`],
] as const;

export const mainTakesName = [
  [`let fuel = 3000;`, `const mission = process.argv[2] ?? 'unnamed';\n\nlet fuel = 3000;`],
  [`console.log(\`top of the flight`, `console.log(\`\${mission}: top of the flight`],
] as const;

export const mainStopsEngine = [
  [
    `  const force = thrust(seconds) - mass * gravity;
`,
    `  const burning = fuel > 0;
  const force = (burning ? thrust(seconds) : 0) - mass * gravity;
`,
  ],
  [`  fuel -= flow(seconds) * step;`, `  if (burning) fuel = Math.max(0, fuel - flow(seconds) * step);`],
] as const;

export const thrust = `/** Force of the engines in newtons. */
export function thrust(seconds: number): number {
  if (seconds < 1) return 30_000 * seconds;
  return seconds < 60 ? 90_000 : 0;
}
`;

export const thrustKnowsFlow = [
  [
    `  return seconds < 60 ? 90_000 : 0;
}
`,
    `  return seconds < 60 ? 90_000 : 0;
}

/** Exhaust velocity in metres a second. */
const exhaust = 2_800;

/** Kilograms of fuel that the engines burn in a second. */
export function flow(seconds: number): number {
  return thrust(seconds) / exhaust;
}
`,
  ],
] as const;

export const thrustLimited = [
  [`  return seconds < 60 ? 90_000 : 0;`, `  return seconds < 55 ? 88_000 : 0;`],
] as const;

export const guide = `# Guide

## The flight

Each tenth of a second the simulation adds up the forces: the engine pushes up, gravity pulls down.
What is left, divided by the mass, is the acceleration.

## The engine

It takes one second to come to its full thrust, and burns for a minute.

## Limits

There is no air in this model, and the earth is flat. Both make the rocket fly heigher than it would.
`;

export const ci = `stages: [build, test, deploy]

build:
  stage: build
  script: npm ci

test:
  stage: test
  script: npm test
  coverage: '/all files[^|]*\\|[^|]*\\s+([\\d.]+)/'

deploy:
  stage: deploy
  script: ./bin/launch.sh
  environment: production
  rules:
    - if: $CI_COMMIT_TAG
`;

export const launch = `#!/bin/sh
# Counts down and starts the flight.
set -eu

for n in 3 2 1; do
  echo "$n"
  sleep 1
done
exec node "$(dirname "$0")/../src/main.ts" "$@"
`;

/** A PNG of 16 by 16 pixels. */
export const logo = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAMAAAAoLQ9TAAAAD1BMVEUAAABCUm54vvDweCj/3FDRG9uJAAAABXRSTlMA/////xzQJlIAAAA9SURBVHjahc9B' +
    'DgAwBERRH/c/c5s20mLByryEIHILJBUUqQBFQHWCNjIAZIEiuznpQVz6bTF3S780EIu8ADQyAHWT3dVEAAAAAElFTkSuQmCC',
  'base64',
);

export const menu = `# Menu of the café

| day | dish |
|---|---|
| Monday | crème of carrots |
| Tuesday | köfte |
| Wednesday | jalapeño pie |
| Thursday | smörgåsbord |
| Friday | what is left |
`;

export const changelog100 = `# Changelog

## 1.0.0 - 2026-02-06

- Fuel is counted, and the rocket grows lighter
- \`bin/launch.sh\` counts down
`;

export const changelog110 = [
  [
    `# Changelog
`,
    `# Changelog

## 1.1.0 - 2026-03-10

- The mission's name is the first argument
- Empty tanks stop the engine
`,
  ],
] as const;

export const changelog101 = [
  [
    `# Changelog
`,
    `# Changelog

## 1.0.1 - 2026-02-25

- The engine is held to 88 kN
`,
  ],
] as const;

export const login = `import { createInterface } from 'node:readline/promises';

/** Asks who launches: nobody launches unnamed. */
export async function login(): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const name = await terminal.question('Who launches? ');
  terminal.close();
  return name.trim();
}
`;

export const loginRefusesNobody = [
  [
    `  return name.trim();`,
    `  if (name.trim() === '') throw new Error('nobody launches unnamed');\n  return name.trim();`,
  ],
] as const;

export const readmeExplainsOutput = [
  [
    `## Where to look`,
    `    node src/main.ts Icarus

Each line is a second of the flight and the altitude in metres; the last one is the top.

## Where to look`,
  ],
] as const;

/** A file of acme/labs/probe. */
export const altimeter = `"""Altitude from air pressure."""

SEA_LEVEL = 101325.0


def altitude(pascal: float) -> float:
    """Metres above the sea, by the barometric formula."""
    return 44330.0 * (1.0 - (pascal / SEA_LEVEL) ** (1 / 5.255))
`;

export const changelog090 = `# Changelog

## 0.9.0 - 2026-02-20

- The first that measures
`;
