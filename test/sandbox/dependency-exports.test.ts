import { describe, expect, test } from 'vitest';
import { billOfMaterials, componentsOf } from '../../src/sandbox/areas/dependency-exports/handlers.ts';
import { openClocked, sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

const wanted = { json: { export_type: 'sbom' } };

describe('dependency list exports (sections 3, 4.13)', () => {
  test('returns 202 until it is ready, then 200, then 404 after it expired', async () => {
    const { ask, wait } = await openClocked();
    const created = await ask('POST /pipelines/1010/dependency_list_exports', wanted);
    expect(created.status).toBe(201);
    const { id } = created.body;
    const self = `http://sandbox.localhost/api/v4/dependency_list_exports/${id}`;
    expect(created.body).toEqual({ id, has_finished: false, self, download: `${self}/download` });
    const path = `/dependency_list_exports/${id}`;
    expect(await ask(`GET ${path}`)).toMatchObject({ status: 202, body: { has_finished: false } });
    expect((await ask(`GET ${path}/download`)).status).toBe(404);
    wait(3);
    expect(await ask(`GET ${path}`)).toMatchObject({ status: 200, body: { has_finished: true } });
    const download = await ask(`GET ${path}/download`);
    expect(download.status).toBe(200);
    expect(download.body).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 });
    wait(3600);
    expect((await ask(`GET ${path}`)).status).toBe(404);
    expect((await ask(`GET ${path}/download`)).status).toBe(404);
  });

  test('lists the dependencies of the repository', async () => {
    const { body } = await ask('GET /dependency_list_exports/95/download');
    expect(body.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(body.metadata.tools[0]).toMatchObject({ vendor: 'svc', name: expect.any(String) });
    expect(body.metadata.authors).toEqual([{ name: 'Administrator', email: 'root@example.com' }]);
    expect(body.metadata.component.name).toBe('rocket');
    expect(body.metadata.properties).toContainEqual({ name: 'service:project', value: 'acme/rocket' });
    const npm = body.components.filter(({ purl }: { purl: string }) => purl.startsWith('pkg:npm/'));
    expect(npm.map(({ purl }: { purl: string }) => purl)).toContain('pkg:npm/strip-ansi@6.0.1');
    expect(npm.find(({ name }: { name: string }) => name === 'picocolors')).toMatchObject({
      type: 'library',
      version: '1.1.1',
      licenses: [{ license: { id: 'ISC', url: 'https://spdx.org/licenses/ISC.html' } }],
    });
    for (const component of body.components) {
      expect(component.purl).toMatch(/^pkg:(npm|generic)\//);
      expect(component.version).toMatch(/^\d/);
      expect(Array.isArray(component.licenses)).toBe(true);
    }
  });

  test('is visible only to its author', async () => {
    const as = 'developer';
    const { body } = await ask('POST /pipelines/1010/dependency_list_exports', { as, ...wanted });
    expect((await ask(`GET /dependency_list_exports/${body.id}`, { as })).status).toBe(202);
    expect((await ask(`GET /dependency_list_exports/${body.id}`, { as: 'owner' })).status).toBe(404);
  });
});

describe('CycloneDX', () => {
  const manifest = JSON.stringify({
    name: 'lander',
    version: '2.0.0',
    dependencies: { '@acme/legs': '^1.2.3', left: '~4.5.6' },
    engines: { node: '>=22' },
  });
  const lock = JSON.stringify({
    packages: {
      '': { name: 'lander' },
      'node_modules/@acme/legs': { version: '1.2.9', license: '(MIT OR Apache-2.0)' },
      'node_modules/left/node_modules/deep': { version: '0.1.0', license: 'ISC' },
      'node_modules/local': { link: true, resolved: 'local' },
      'node_modules/odd': { version: '1.0.0', license: 'UNLICENSED' },
    },
  });

  test('lists declared dependencies', () => {
    const found = componentsOf({ manifest, lock: undefined });
    expect(found.map(({ purl }) => purl)).toEqual(['pkg:npm/%40acme/legs@1.2.3', 'pkg:npm/left@4.5.6']);
  });

  test('prefers locked over declared versions', () => {
    const found = componentsOf({ manifest, lock });
    expect(found.map(({ purl, licenses }) => [purl, licenses])).toEqual([
      ['pkg:npm/%40acme/legs@1.2.9', []],
      ['pkg:npm/deep@0.1.0', [{ license: { id: 'ISC', url: 'https://spdx.org/licenses/ISC.html' } }]],
      ['pkg:npm/left@4.5.6', []],
      ['pkg:npm/odd@1.0.0', []],
    ]);
  });

  test('lists nothing for a missing or malformed manifest', () => {
    const subject = {
      project: 'acme/website',
      sha: 'a'.repeat(40),
      time: '2026-01-01T00:00:00.000Z',
      key: '1',
      author: { name: 'A', email: 'a@example.com' },
    };
    for (const text of [undefined, '{', '[]', 'null']) {
      expect(billOfMaterials(subject, { manifest: text, lock: text })).toMatchObject({
        metadata: { component: { name: 'website' } },
        components: [],
      });
    }
  });
});
