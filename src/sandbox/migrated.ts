/** What a migration leaves: the group or project of each entity that finished (section 2.3). */
import type { World } from './behaviour.ts';
import { subgroupEvent } from './group-events.ts';
import { type Entity, entityStage, type Migration } from './migration.ts';
import type { Group, Project } from './rows.ts';

const titleOf = ({ destination_slug }: Entity): string => destination_slug.replaceAll('-', ' ');

function groupOf(world: World, entity: Entity, parent: Group): number {
  const groups = world.table<Group>('groups');
  const full_path = `${parent.full_path}/${entity.destination_slug}`;
  const known = groups.find((row) => row.full_path.toLowerCase() === full_path.toLowerCase());
  if (known) return known.id;
  const made = groups.insert({
    name: titleOf(entity),
    path: entity.destination_slug,
    full_path,
    parent_id: parent.id,
    visibility: parent.visibility,
    description: '',
    created_at: world.time(),
  });
  world.emit(subgroupEvent(made, parent));
  return made.id;
}

function projectOf(world: World, entity: Entity, group: Group): number {
  const projects = world.table<Project>('projects');
  const path_with_namespace = `${group.full_path}/${entity.destination_slug}`;
  const isIt = (row: Project) => row.path_with_namespace.toLowerCase() === path_with_namespace.toLowerCase();
  const known = projects.find(isIt);
  if (known) return known.id;
  return projects.insert({
    name: titleOf(entity),
    path: entity.destination_slug,
    path_with_namespace,
    group_id: group.id,
    visibility: group.visibility,
    description: '',
    default_branch: 'main',
    created_at: world.time(),
  }).id;
}

/** Create what entities that have finished by now stand for. The clock alone moves migrations: call it before every request. */
export function settleMigrations(world: World): void {
  const entities = world.table<Entity>('migration_entities');
  const waiting = entities.filter(
    ({ namespace_id, project_id }) => namespace_id === null && project_id === null,
  );
  for (const entity of waiting) {
    const migration = world.table<Migration>('migrations').get(entity.bulk_import_id);
    if (!migration || entityStage(entity, migration, world.now()).status !== 'finished') continue;
    const parent = world
      .table<Group>('groups')
      .find(({ full_path }) => full_path === entity.destination_namespace);
    if (!parent) continue;
    entities.update(
      entity,
      entity.entity_type === 'group'
        ? { namespace_id: groupOf(world, entity, parent) }
        : { project_id: projectOf(world, entity, parent) },
    );
  }
}
