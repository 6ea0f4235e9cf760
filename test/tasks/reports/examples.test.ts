import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { openWorld } from '../../support/sandbox.ts';
import { exited } from '../engine/world.ts';

describe('what a report prints is what it documents', () => {
  test.each([
    'jobs wait 1011 -p acme/rocket',
    'jobs digest 1011 -p acme/rocket',
    'license report',
    'migrations watch 22',
    'migrations report 22',
  ])('%s', async (line) => {
    const world = await openWorld();
    const [area, name] = line.split(' ');
    const printed = JSON.parse((await world.run(`${line} -o json`)).out);
    const { output } = JSON.parse((await world.run(`schema ${area} ${name}`)).out);
    const rows: object[] = Array.isArray(printed) ? printed : [printed];
    expect(rows.length).toBeGreaterThan(0);
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(output);
    for (const row of rows) {
      expect(validate(row), JSON.stringify(validate.errors)).toBe(true);
      expect(Object.keys(row).sort()).toEqual(Object.keys(output.properties).sort());
    }
    const help = await exited(0, world.run(`${line} --fields help`));
    for (const field of Object.keys(output.properties))
      expect(help.out).toMatch(new RegExp(`^${field} `, 'm'));
  });
});
