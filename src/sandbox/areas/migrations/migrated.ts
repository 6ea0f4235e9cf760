/** Groups and projects that migrations create. */
import { subgroup } from '../../../webhooks/payloads.ts';
import type { Group, Project } from '../../core/rows.ts';
import type { World } from '../../core/world.ts';
import { type Entity, entityStage, type Migration } from './migration.ts';

function isTaken(world: World, path: string): boolean {
  const same = (other: string) => other.toLowerCase() === path.toLowerCase();
  return (
    world.table<Group>('groups').find((row) => same(row.full_path)) !== undefined ||
    world.table<Project>('projects').find((row) => same(row.path_with_namespace)) !== undefined
  );
}

/** Create the group or project of an entity in its destination, and return the changes to the entity. */
function createTarget(
  world: World,
  entity: Entity,
  user_id: number,
  created_at: string,
): Partial<Omit<Entity, 'id'>> {
  const { destination_namespace: namespace, destination_slug: path } = entity;
  const parent = world.table<Group>('groups').find((group) => group.full_path === namespace);
  const full_path = `${namespace}/${path}`;
  if (!parent) return { outcome: 'failed', obstacle: `${namespace} no longer exists` };
  if (isTaken(world, full_path))
    return { outcome: 'failed', obstacle: `${full_path} has already been taken` };
  const { visibility } = parent;
  const common = { name: entity.destination_name ?? path, path, visibility, description: '', created_at };
  if (entity.entity_type === 'group') {
    const group = world.table<Group>('groups').insert({ ...common, full_path, parent_id: parent.id });
    world.emit({
      kind: 'subgroup_events',
      group_id: parent.id,
      user_id,
      payload: () => subgroup(parent, group),
    });
    return { namespace_id: group.id };
  }
  const location = { path_with_namespace: full_path, group_id: parent.id, default_branch: 'main' };
  return { project_id: world.table<Project>('projects').insert({ ...common, ...location }).id };
}

/** Create the groups and projects of the entities that have finished. */
export function finishMigrations(world: World): void {
  const table = world.table<Entity>('migration_entities');
  const isOpen = ({ outcome, namespace_id, project_id }: Entity) =>
    outcome === 'finished' && namespace_id === null && project_id === null;
  for (const entity of table.filter(isOpen)) {
    const migration = world.table<Migration>('migrations').get(entity.bulk_import_id);
    const stage = migration && entityStage(entity, migration, world.now());
    if (migration && stage?.status === 'finished')
      table.update(entity, createTarget(world, entity, migration.user_id, stage.since));
  }
}
