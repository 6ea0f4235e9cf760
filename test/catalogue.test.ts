/** Laws over every call of the catalogue. Each collects what breaks it, so that one run tells all. */

import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { areas, type Entry, themes } from '../src/api/index.ts';
import { loadArea } from '../src/cli/areas.ts';
import { columnsOf, pathOfColumn } from '../src/spec/column.ts';
import { argumentsOf, commandName, commandNamed } from '../src/spec/command.ts';
import type { Endpoint } from '../src/spec/endpoint.ts';
import { type Field, type Fields, isSecret, itemOf, keysOf } from '../src/spec/field.ts';
import { labelOf } from '../src/support/column.ts';
import { ask } from './interface/service.ts';
import { breaking, calls, everyField, flagsOf, globalFlags, law, returned } from './support/catalogue.ts';
import { endpointsOf } from './support/endpoints.ts';
import { linesOf, routes } from './support/table.ts';

describe('the catalogue and the specification', () => {
  const specified = calls.filter(({ endpoint }) => !endpoint.unspecified);

  it('has every route of the specification, and no other', () => {
    expect(routes).toHaveLength(117);
    expect(specified.map(({ route }) => route).sort()).toEqual(routes.map(({ route }) => route).sort());
  });

  it('marks every other call as not in the specification', () => {
    const others = calls
      .filter(({ endpoint }) => endpoint.unspecified)
      .map(
        ({ entry, endpoint, route }) =>
          `${entry.name} ${endpoint.command} --${endpoint.scope?.name}\t${route}`,
      );
    expect(others.sort()).toEqual(linesOf(new URL('unspecified.txt', import.meta.url)).sort());
  });

  it('makes each request by the command that is fixed for it', () => {
    const made = new Map(specified.map((one) => [one.route, `${one.entry.name} ${one.endpoint.command}`]));
    for (const { command, route } of routes)
      expect(made.get(route), route).toBe(command.replace(/ --(project|group)/, ''));
  });

  it('reaches a project by --project and a group by --group', () => {
    const flags = routes.flatMap(({ command, route }) => {
      const [, flag] = / --(project|group)/.exec(command) ?? [];
      return flag ? [[route, flag] as const] : [];
    });
    expect(flags.length).toBeGreaterThan(15);
    const scopes = new Map(calls.map(({ route, endpoint }) => [route, endpoint.scope?.name]));
    expect(flags.filter(([route, flag]) => scopes.get(route) !== flag)).toEqual([]);
    expect(
      breaking(({ endpoint }) => {
        const [, place] = /^\/(project|group)s\/:id\//.exec(endpoint.path) ?? [];
        return place !== endpoint.scope?.name && endpoint.path;
      }),
    ).toEqual([]);
  });
});

describe('who may call what', () => {
  it('tells the roles that sections 4 and 5 name', () => {
    const roles: Record<string, string> = {
      'uploads list': 'maintainer',
      'uploads get': 'maintainer',
      'uploads get-by-secret': 'guest',
      'uploads delete': 'maintainer',
      'uploads delete-by-secret': 'maintainer',
      'broadcasts create': 'administrator',
      'broadcasts update': 'administrator',
      'broadcasts delete': 'administrator',
      'snippets user-agent': 'administrator',
      'users get': 'user',
    };
    const areaRoles: Record<string, string> = {
      hooks: 'owner',
      'error-tracking': 'maintainer',
      'client-keys': 'maintainer',
      appearance: 'administrator',
      license: 'administrator',
    };
    expect(
      breaking(({ entry, endpoint, route }) => {
        const ofArea = route.includes('/projects/:id/hooks') ? 'maintainer' : areaRoles[entry.name];
        const role = roles[`${entry.name} ${commandName(endpoint)}`] ?? ofArea;
        return role !== undefined && endpoint.access.role !== role && `role ${endpoint.access.role}`;
      }),
    ).toEqual([]);
  });

  it('needs no token where sections 2.8 and 5 say so, and nowhere else', () => {
    const open = calls.filter(({ endpoint }) => endpoint.access.anonymous).map(({ title }) => title);
    expect(open.sort()).toEqual(
      [
        ...['get', 'head', 'blame', 'blame-head', 'raw', 'raw-head'].map((name) => `files ${name} (project)`),
        ...['list', 'get'].map((name) => `branches ${name} (project)`),
        ...['list', 'get', 'raw', 'raw-file'].map((name) => `snippets ${name} (project)`),
        'broadcasts list',
        'broadcasts get',
        'users list',
      ].sort(),
    );
  });

  it('wants a job token for the two calls that are about it (section 5)', () => {
    const only = calls
      .filter(({ endpoint }) => endpoint.access.jobToken === 'only')
      .map(({ route }) => route);
    expect(only).toEqual(['GET /job', 'GET /job/allowed_agents']);
  });

  it('offers keyset pages where section 8 says so; says of each deprecated call what replaces it', () => {
    const keyset = calls.filter(({ endpoint }) => endpoint.keyset).map(({ route }) => route);
    expect(keyset).toEqual(['GET /projects/:id/jobs', 'GET /users']);
    const old = calls.filter(({ endpoint }) => endpoint.deprecated).map(({ title }) => title);
    expect(old).toEqual(calls.filter(({ entry }) => entry.name === 'epics').map(({ title }) => title));
  });
});

describe('names', () => {
  it('has a file for each area, and an area for each file', () => {
    const shared = ['features.ts', 'index.ts', 'namespaces.ts', 'parts.ts', 'resources.ts', 'scopes.ts'];
    const files = readdirSync(new URL('../src/api', import.meta.url)).filter(
      (file) => !shared.includes(file) && !file.startsWith('hook-'),
    );
    expect(areas.map(({ name }) => `${name}.ts`).sort()).toEqual(files.sort());
  });

  it('calls no two areas alike', () => {
    const names = areas.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(names.filter((name) => !/^[a-z]+(-[a-z]+)*$/.test(name))).toEqual([]);
  });

  it('keeps the areas of a theme together, in the order of the themes', () => {
    const order = Object.keys(themes);
    const places = areas.map(({ theme }) => order.indexOf(theme));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(new Set(places).size).toBe(order.length);
  });

  it('names a command once for a place', () => {
    const names = calls.map(
      ({ entry, endpoint }) => `${entry.name} ${endpoint.command} ${endpoint.scope?.name}`,
    );
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  law('fills each slot of a path, in path order, by the scope or by an argument', ({ endpoint }) => {
    const named = [...endpoint.path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name as string);
    const own = endpoint.scope ? named.slice(1) : named;
    const filled = argumentsOf(endpoint)
      .filter(({ field, required }) => required && field in endpoint.slots)
      .map(({ field }) => field);
    const ok = own.join() === Object.keys(endpoint.slots).join() && own.join() === filled.join();
    return !ok && endpoint.path;
  });

  law('has an argument for nothing but slots and parameters', ({ endpoint }) =>
    argumentsOf(endpoint)
      .filter(({ field }) => !(field in endpoint.slots) && !(field in endpoint.takes))
      .map(({ name }) => name),
  );

  law(
    'holds nothing but names in a path',
    ({ endpoint }) => !/^(\/:?[a-z][a-z_]*)+(\.csv)?$/.test(endpoint.path) && endpoint.path,
  );
});

describe('words', () => {
  it('are ASCII, so that help is readable in every locale', () => {
    const told = (field: Field): string[] => [field.doc, ...Object.values(keysOf(field) ?? {}).flatMap(told)];
    expect(
      breaking(({ entry, endpoint: { summary, doc = '', slots, takes, returns } }) => {
        const fields = [slots, takes, 'fields' in returns ? returns.fields : {}].flatMap((one) =>
          Object.values(one),
        );
        const strange = [entry.summary, summary, doc, ...fields.flatMap(told)].filter((text) =>
          /[^\x20-\x7e]/.test(text),
        );
        return strange.length > 0 && strange.join(' | ');
      }),
    ).toEqual([]);
  });
});

describe('flags', () => {
  law('clash with none of the same command', ({ endpoint }) => {
    const flags = flagsOf(endpoint);
    return flags.filter((flag, index) => flags.indexOf(flag) !== index);
  });

  it('clash with none of the program, but the color of an epic', () => {
    const reserved = globalFlags.filter((flag) => flag !== 'page' && flag !== 'per-page');
    // There, a value that is neither auto, always nor never is the color of the epic.
    expect(breaking(({ endpoint }) => flagsOf(endpoint).filter((flag) => reserved.includes(flag)))).toEqual([
      'epics create (group): color',
      'epics update (group): color',
    ]);
  });
});

describe('updates', () => {
  const updates = calls.filter(({ endpoint: { method } }) => method === 'PUT' || method === 'PATCH');

  it('state no default: an attribute that is left out keeps its value', () => {
    const stated = updates.flatMap(({ route, endpoint }) =>
      everyField(endpoint.takes).flatMap(([name, field]) =>
        field.default === undefined ? [] : [`${route} ${name}`],
      ),
    );
    // Says how the content of this very request is encoded.
    expect(stated).toEqual(['PUT /projects/:id/repository/files/:file_path encoding']);
  });

  it('state no default in variables set either, except of the scope and of what only a creation takes', async () => {
    const endpoints = await endpointsOf(areas.find(({ name }) => name === 'variables') as Entry);
    const set = endpoints.find((endpoint) => commandName(endpoint) === 'set') as Endpoint;
    const stated = Object.entries(set.takes).filter(([, field]) => field.default !== undefined);
    expect(stated.map(([name]) => name)).toEqual(['environment_scope', 'masked_and_hidden']);
  });

  it('take null for every attribute that can be null, except booleans (section 4.0)', () => {
    const nullable = updates.flatMap(({ route, endpoint }) =>
      Object.entries(endpoint.takes).flatMap(([name, field]) => {
        const attribute = returned(endpoint)[name];
        if (!attribute?.nullable || field.kind === 'bool') return [];
        return [[`${route} ${name}`, field.nullable ?? false] as const];
      }),
    );
    expect(nullable.length).toBeGreaterThan(5);
    expect(nullable.filter(([, taken]) => !taken)).toEqual([]);
  });
});

describe('answers', () => {
  law('has columns that the answer has', ({ endpoint }) =>
    endpoint.columns.map(pathOfColumn).filter((column) => {
      let fields: Fields | undefined = returned(endpoint);
      for (const name of column.split('.')) {
        if (!fields?.[name]) return true;
        fields = keysOf(fields[name]);
      }
      return false;
    }),
  );

  it('mark the response fields that section 9 calls deprecated, in --fields help too', async () => {
    const old = calls.flatMap(({ entry, endpoint }) =>
      Object.entries(returned(endpoint)).flatMap(([name, field]) =>
        field.deprecated ? [{ entry, endpoint, name, use: field.deprecated }] : [],
      ),
    );
    expect([...new Set(old.map(({ name }) => name))].sort()).toEqual([
      'approvals_before_merge',
      'approver_groups',
      'approvers',
      'destination_name',
      'due_date_from_milestones',
      'end_date',
      'reference',
      'require_password_to_approve',
      'start_date_from_milestones',
    ]);
    for (const { entry, endpoint, name, use } of old) {
      const args = argumentsOf(endpoint).flatMap(({ required }) => (required ? ['1'] : []));
      const argv = [entry.name, commandName(endpoint), ...args, '--fields', 'help'];
      const told = (await ask(argv)).out.split('\n').find((row) => row.startsWith(`${name} `));
      expect(told, argv.join(' ')).toContain(`(deprecated: ${use})`);
    }
  });

  law('shows a list in two to nine columns', ({ endpoint }) => {
    const { length } = endpoint.columns;
    return endpoint.returns.kind === 'list' && (length < 2 || length > 9) && `${length} columns`;
  });

  const tables = calls.flatMap(({ title, endpoint: { columns, returns } }) =>
    returns.kind === 'list' ? [{ title, columns: columnsOf(columns, returns.fields) }] : [],
  );

  it('labels each column of a list with at most 14 characters in upper case, and no two alike', () => {
    expect(tables.length).toBeGreaterThan(25);
    const wrong = tables.flatMap(({ title, columns }) => {
      const labels = columns.map(({ label }) => label);
      return labels
        .filter(
          (label, at) =>
            !/^[A-Z][A-Z0-9]*( [A-Z0-9]+)*$/.test(label) || label.length > 14 || labels.indexOf(label) !== at,
        )
        .map((label) => `${title}: ${label}`);
    });
    expect(wrong).toEqual([]);
  });

  it('declares the identifying column of a list first', () => {
    const other = tables.filter(({ columns: [first] }) => first?.kind !== 'id' && first?.kind !== 'name');
    expect(other.map(({ title }) => title)).toEqual([]);
  });

  it('labels the fields of an object differently', () => {
    const alike = ([name, fields]: readonly [string, Fields]): string[] => {
      const labels = Object.keys(fields).map((field) => labelOf(field));
      return [
        ...labels
          .filter((label, at) => label === '' || labels.indexOf(label) !== at)
          .map((label) => `${name}: ${label}`),
        ...Object.entries(fields).flatMap(([key, field]) => {
          const keys = keysOf(itemOf(field));
          return keys ? alike([`${name}.${key}`, keys]) : [];
        }),
      ];
    };
    expect([...new Set(calls.flatMap(({ title, endpoint }) => alike([title, returned(endpoint)])))]).toEqual(
      [],
    );
  });

  it('shows no secret in a list, but the address that a client key is for', () => {
    const shown = breaking(({ endpoint }) =>
      endpoint.returns.kind === 'list'
        ? endpoint.columns.map(pathOfColumn).filter((column) => isSecret(returned(endpoint)[column]))
        : [],
    );
    expect(shown).toEqual(['client-keys list (project): tracker_dsn']);
  });

  law('takes every secret also from a file or standard input, as help says', ({ endpoint }) =>
    everyField(endpoint.takes).flatMap(([name, field]) =>
      field.kind === 'text' && field.secret && !field.long ? [name] : [],
    ),
  );

  law(
    'asks before every DELETE',
    ({ endpoint }) => endpoint.method === 'DELETE' && !endpoint.confirm && 'no question',
  );
});

it('what ends later can be waited for: a task knows where to look', async () => {
  const later = calls.filter(({ endpoint }) => endpoint.background !== undefined);
  expect(later.length).toBeGreaterThan(3);
  const lacking: string[] = [];
  for (const { entry, endpoint } of later) {
    const command = commandNamed(await loadArea(entry), commandName(endpoint));
    if (!command?.task) lacking.push(`${entry.name} ${endpoint.command}`);
  }
  expect(lacking).toEqual([]);
});
