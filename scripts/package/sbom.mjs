// The bill of materials of what is bundled: CycloneDX 1.6 (ECMA-424) in JSON.
import { runtime } from './runtime.mjs';

/** Programs in other languages that a package contains. Their texts are in scripts/licenses. */
const contents = {
  'jq-wasm': [
    { name: 'jq', license: 'MIT', source: 'https://github.com/jqlang/jq' },
    { name: 'decNumber', license: 'ICU', source: 'https://github.com/jqlang/jq' },
    { name: 'dtoa', license: 'dtoa', source: 'https://github.com/jqlang/jq' },
    { name: 'Oniguruma', license: 'BSD-2-Clause', source: 'https://github.com/kkos/oniguruma' },
    { name: 'Emscripten', license: 'MIT', source: 'https://github.com/emscripten-core/emscripten' },
    { name: 'musl', license: 'MIT', source: 'https://musl.libc.org' },
  ],
};

const purlOf = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** An SPDX identifier, or an expression such as `MIT AND Zlib`. */
const licenseOf = (license) =>
  / (AND|OR|WITH) /.test(license) ? [{ expression: license }] : [{ license: { id: license } }];

/** The checksum that package-lock.json records, in hexadecimal digits. */
function hashesOf(integrity) {
  const [, base64] = /^sha512-(.+)$/.exec(integrity ?? '') ?? [];
  return base64
    ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') }] }
    : {};
}

/** Two versions of a package are installed in different folders. */
function lockedAs(locked, { name, version }) {
  const [, found] =
    Object.entries(locked).find(
      ([path, one]) => path.endsWith(`node_modules/${name}`) && one.version === version,
    ) ?? [];
  return found;
}

/**
 * @param {object} options
 * @param {string} options.name of the npm package
 * @param {string} options.version
 * @param {string} options.license
 * @param {Date} options.time
 * @param {readonly { name: string, version: string, license: string }[]} options.packages that are bundled
 * @param {Record<string, { version: string, integrity?: string }>} options.locked the packages of package-lock.json
 */
export function billOfMaterials({ name, version, license, time, packages, locked }) {
  const bundled = packages.map((one) => {
    const purl = purlOf(one.name, one.version);
    return {
      type: 'library',
      'bom-ref': purl,
      name: one.name,
      version: one.version,
      licenses: licenseOf(one.license),
      ...hashesOf(lockedAs(locked, one)?.integrity),
      purl,
      ...(contents[one.name] ? { components: contents[one.name].map((part) => partOf(one.name, part)) } : {}),
    };
  });
  const downloads = Object.values(runtime.platforms).map((one) => {
    const purl = purlOf(one.package, runtime.version);
    return {
      type: 'platform',
      'bom-ref': purl,
      name: one.package,
      version: runtime.version,
      description: 'Runtime of the executable for one platform; not in the npm package',
      licenses: licenseOf(runtime.license),
      ...hashesOf(one.integrity),
      purl,
      externalReferences: [{ type: 'vcs', url: runtime.source }],
    };
  });
  const linked = runtime.libraries.map((one) => ({
    ...partOf('runtime', one),
    description: 'Linked into the runtime of the executable',
  }));
  const self = purlOf(name, version);
  const refs = (components) => components.map((component) => component['bom-ref']);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: time.toISOString(),
      tools: { components: [{ type: 'application', name: 'npm run package', version }] },
      component: {
        type: 'application',
        'bom-ref': self,
        name,
        version,
        licenses: licenseOf(license),
        purl: self,
      },
    },
    components: [...bundled, ...downloads, ...linked],
    dependencies: [
      { ref: self, dependsOn: [...refs(bundled), ...refs(downloads)] },
      ...refs(downloads).map((ref) => ({ ref, dependsOn: refs(linked) })),
    ],
  };
}

/** A library of which only the source is known, not the version. */
const partOf = (whole, { name, license, source }) => ({
  type: 'library',
  'bom-ref': `${whole}:${name}`,
  name,
  licenses: licenseOf(license),
  externalReferences: [{ type: 'vcs', url: source }],
});
