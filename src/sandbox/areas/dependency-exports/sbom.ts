/** Software bill of materials: CycloneDX 1.5 as JSON, from the package.json and the lock file of a repository. */
import { createHash } from 'node:crypto';
import { isRecord } from '../../../support/record.ts';
import type { Hash } from '../../core/request/params.ts';
import { version as sandboxVersion } from '../../info.ts';

type License =
  | { readonly license: { readonly id: string; readonly url: string } }
  | { readonly license: { readonly name: string } }
  | { readonly expression: string };

export interface Component {
  readonly type: 'library' | 'platform';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly License[];
}

/** Contents of the two files; undefined if the repository does not have them. */
export interface Sources {
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

/** Return a license as SPDX id, as SPDX expression, or as plain name. */
function licensesOf(license: unknown): License[] {
  if (typeof license !== 'string' || license === '') return [];
  if (/ (OR|AND|WITH) /.test(license)) return [{ expression: license.replace(/^\((.*)\)$/, '$1') }];
  if (license === 'UNLICENSED' || !/^[\w.+-]+$/.test(license)) return [{ license: { name: license } }];
  return [{ license: { id: license, url: `https://spdx.org/licenses/${license}.html` } }];
}

/** Return a component with its package URL. The `@` of a scope is encoded, its slash is not. */
function component(type: Component['type'], name: string, version: string, license: unknown): Component {
  const path = name.split('/').map(encodeURIComponent).join('/');
  const purl = `pkg:${type === 'library' ? 'npm' : 'generic'}/${path}@${encodeURIComponent(version)}`;
  return { type, 'bom-ref': purl, name, version, purl, licenses: licensesOf(license) };
}

/** Return the lowest version of a range: `^1.2.3` -> 1.2.3. */
const versionOf = (range: unknown): string => /\d+(\.\d+)*[\w.+-]*/.exec(String(range))?.[0] ?? String(range);

/** Return the packages of a lock file (versions 2 and 3). */
function locked(lock: Hash): Component[] {
  return entries(lock['packages']).flatMap(([path, entry]) => {
    const name = path.split('node_modules/').at(-1);
    if (!path.includes('node_modules/') || !name || !isRecord(entry) || entry['link'] === true) return [];
    return [component('library', name, String(entry['version']), entry['license'])];
  });
}

function declared(manifest: Hash): Component[] {
  return ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']
    .flatMap((kind) => entries(manifest[kind]))
    .map(([name, range]) => component('library', name, versionOf(range), undefined));
}

/** Return the platforms that `engines` lists. */
const platforms = (manifest: Hash): Component[] =>
  entries(manifest['engines']).map(([name, range]) =>
    component('platform', name, versionOf(range), name === 'node' ? 'MIT' : undefined),
  );

/** Return all components without duplicates, sorted by package URL. The lock file takes precedence over the manifest. */
export function componentsOf(sources: Sources): Component[] {
  const [manifest, lock] = [parse(sources.manifest), parse(sources.lock)];
  const found = locked(lock);
  const missing = declared(manifest).filter(({ name }) => !found.some((other) => other.name === name));
  const all = [...found, ...missing, ...platforms(manifest)];
  const byPurl = new Map(all.map((component) => [component.purl, component]));
  return [...byPurl.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
}

/** Derive a UUID from a text (RFC 9562, version 8). */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export interface Subject {
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
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(`${subject.key} ${subject.time}`)}`,
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
