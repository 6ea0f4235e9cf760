/** Software bill of materials: CycloneDX 1.5 as JSON, from the package.json and the lock file of a repository. */
import { createHash } from 'node:crypto';
import { isRecord } from '../../../support/record.ts';
import type { Hash } from '../../core/request/params.ts';
import { version as sandboxVersion } from '../../info.ts';

interface Component {
  readonly type: 'library';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly { readonly license: { readonly id: string; readonly url: string } }[];
}

/** Contents of the two files; undefined if the repository does not have them. */
interface Sources {
  readonly manifest: string | undefined;
  readonly lock: string | undefined;
}

function parse(text: string | undefined): Hash {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return isRecord(value) ? value : {};
  } catch {
    // A malformed file lists no dependencies.
    return {};
  }
}

const entries = (value: unknown): [string, unknown][] => (isRecord(value) ? Object.entries(value) : []);

/** Return a component with its package URL. The `@` of a scope is encoded, its slash is not. */
function component(name: string, version: string, license: unknown): Component {
  const path = name.split('/').map(encodeURIComponent).join('/');
  const purl = `pkg:npm/${path}@${encodeURIComponent(version)}`;
  const isSpdx = typeof license === 'string' && license !== 'UNLICENSED' && /^[\w.+-]+$/.test(license);
  const licenses = isSpdx
    ? [{ license: { id: license, url: `https://spdx.org/licenses/${license}.html` } }]
    : [];
  return { type: 'library', 'bom-ref': purl, name, version, purl, licenses };
}

/** Return the packages of a lock file (versions 2 and 3). */
function locked(lock: Hash): Component[] {
  return entries(lock['packages']).flatMap(([path, entry]) => {
    const name = path.split('node_modules/').at(-1);
    if (!path.includes('node_modules/') || !name || !isRecord(entry) || entry['link'] === true) return [];
    return [component(name, String(entry['version']), entry['license'])];
  });
}

/** Return the dependencies of a manifest, with the lowest version of each range: `^1.2.3` -> 1.2.3. */
function declared(manifest: Hash): Component[] {
  return ['dependencies', 'devDependencies']
    .flatMap((kind) => entries(manifest[kind]))
    .map(([name, range]) => component(name, String(range).replace(/^[^\d]*/, ''), undefined));
}

/** Return all components without duplicates, sorted by package URL. The lock file takes precedence over the manifest. */
export function componentsOf(sources: Sources): Component[] {
  const found = locked(parse(sources.lock));
  const missing = declared(parse(sources.manifest)).filter(
    ({ name }) => !found.some((other) => other.name === name),
  );
  const byPurl = new Map([...found, ...missing].map((one) => [one.purl, one]));
  return [...byPurl.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
}

interface Subject {
  /** Full path, such as `acme/rocket`. */
  readonly project: string;
  readonly sha: string;
  /** ISO 8601. */
  readonly time: string;
  /** Identifies the export. */
  readonly key: string;
  readonly author: { readonly name: string; readonly email: string };
}

/** Return the document of an export. */
export function billOfMaterials(subject: Subject, sources: Sources): object {
  const manifest = parse(sources.manifest);
  const name = typeof manifest['name'] === 'string' ? manifest['name'] : subject.project.replace(/^.*\//, '');
  const version = typeof manifest['version'] === 'string' ? manifest['version'] : subject.sha.slice(0, 8);
  const digest = createHash('sha256').update(`${subject.key} ${subject.time}`).digest('hex');
  // RFC 9562, version 8.
  const uuid = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-a$4-$5');
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuid}`,
    version: 1,
    metadata: {
      timestamp: subject.time,
      tools: [{ vendor: 'svc', name: 'sandbox', version: sandboxVersion }],
      authors: [subject.author],
      component: { type: 'application', 'bom-ref': `${name}@${version}`, name, version },
      properties: [
        { name: 'service:project', value: subject.project },
        { name: 'service:commit', value: subject.sha },
        { name: 'service:input_file:path', value: sources.lock ? 'package-lock.json' : 'package.json' },
      ],
    },
    components: componentsOf(sources),
  };
}
