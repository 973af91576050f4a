import { apiVersionOf, type StatusCause } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { ApiError } from "../errors.ts";
import { nowText } from "../environment.ts";
import type { Operation } from "../operation.ts";
import { isObject } from "../json.ts";
import { changedFields, childShape, fieldsOf, keyStep, type Shape, shapeOf, tracked } from "./fields.ts";
import { type FieldSet, intersect, isEmptySet, NO_FIELDS, pathTexts, subtract, union } from "./field_set.ts";
import { type Ownership, readOwnerships, writeOwnerships } from "./managed.ts";

/** An apply request. */
export interface ApplyRequest {
  /** The fields the applier wants, as sent. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly force: boolean;
  readonly subresource: string;
  /** Reads a merged object in the served version: defaults it and gives the stored form. */
  decode(merged: Record<string, unknown>): StoredObject;
}

/**
 * Server-side apply. Upstream: `apimachinery/pkg/util/managedfields` and `structured-merge-diff`.
 *
 * @param live The stored object in the served version, or `undefined` if there is none yet.
 * @returns The new object with its managedFields.
 * @throws {ApiError} 409 if another manager owns a field that would change, unless forced.
 */
export function applyObject(operation: Operation, live: StoredObject | undefined, request: ApplyRequest): StoredObject {
  const { served } = operation;
  const shape = shapeOf(served.struct);
  const wanted = tracked(fieldsOf(request.body, shape));
  const ownerships = readOwnerships(live?.metadata.managedFields);
  const isMine = (ownership: Ownership) =>
    ownership.operation === "Apply" && ownership.manager === operation.fieldManager &&
    ownership.subresource === request.subresource;
  const mine = ownerships.find(isMine);
  const others = ownerships.filter((ownership) => !isMine(ownership));
  let merged = mergeApplied(live ?? {}, request.body, shape);
  const othersOwn = others.reduce((all, { fields }) => union(all, fields), NO_FIELDS);
  const dropped = subtract(subtract(mine?.fields ?? NO_FIELDS, wanted), othersOwn);
  merged = removeFields(merged, dropped, shape);
  const { managedFields: _managedFields, ...metadata } = merged.metadata as Record<string, unknown>;
  const object = request.decode({ ...merged, metadata });
  const contested = live ? intersect(changedFields(live, object, shape), wanted) : NO_FIELDS;
  const conflicts = others.map((ownership) => ({ ownership, fields: intersect(ownership.fields, contested) }))
    .filter(({ fields }) => !isEmptySet(fields));
  if (conflicts.length > 0 && !request.force) throw applyConflict(conflicts);
  const kept = others.map((ownership) => ({ ...ownership, fields: subtract(ownership.fields, contested) }));
  writeOwnerships(object, [...kept, ownershipOf(operation, request.subresource, wanted, mine)]);
  return object;
}

function ownershipOf(
  operation: Operation,
  subresource: string,
  fields: FieldSet,
  old: Ownership | undefined,
): Ownership {
  const same = old && isEmptySet(subtract(fields, old.fields)) && isEmptySet(subtract(old.fields, fields));
  return {
    manager: operation.fieldManager,
    operation: "Apply",
    apiVersion: apiVersionOf(operation.served),
    subresource,
    time: same ? old.time : nowText(operation.state),
    fields,
  };
}

/** `applied` laid over `live`: objects and keyed lists merge, sets unite, everything else is replaced. */
function mergeApplied(
  live: unknown,
  applied: Readonly<Record<string, unknown>>,
  shape: Shape,
): Record<string, unknown> {
  const out: Record<string, unknown> = isObject(live) ? { ...live } : {};
  for (const [name, value] of Object.entries(applied)) {
    if (value === undefined || value === null) continue;
    out[name] = mergeValue(out[name], value, childShape(shape, name));
  }
  return out;
}

function mergeValue(live: unknown, applied: unknown, shape: Shape): unknown {
  if (isObject(applied) && isObject(live) && shape.kind !== "atom") return mergeApplied(live, applied, shape);
  if (!Array.isArray(applied) || !Array.isArray(live)) return applied;
  if (shape.kind === "set") return [...live, ...applied.filter((item) => !live.includes(item))];
  if (shape.kind !== "keyed") return applied;
  const out = [...live];
  for (const item of applied) {
    const step = keyStep(item, shape.keys);
    const at = out.findIndex((other) => keyStep(other, shape.keys) === step);
    if (at < 0) out.push(item);
    else out[at] = mergeValue(out[at], item, shape.item);
  }
  return out;
}

/** `value` without the paths in `fields`. */
function removeFields(value: Record<string, unknown>, fields: FieldSet, shape: Shape): Record<string, unknown> {
  const out = { ...value };
  for (const [step, child] of fields.children) {
    if (!step.startsWith("f:")) continue;
    const name = step.slice(2);
    const below = childShape(shape, name);
    if (!(name in out)) continue;
    const rest = removeFrom(out[name], child, below);
    if (rest === undefined) delete out[name];
    else out[name] = rest;
  }
  return out;
}

function removeFrom(value: unknown, fields: FieldSet, shape: Shape): unknown {
  if (fields.children.size === 0) return fields.own ? undefined : value;
  if (isObject(value)) {
    const rest = removeFields(value, fields, shape);
    return fields.own && Object.keys(rest).length === 0 ? undefined : rest;
  }
  if (!Array.isArray(value)) return value;
  const rest = value.flatMap((item) => {
    const step = shape.kind === "keyed" ? keyStep(item, shape.keys) : `v:${JSON.stringify(item)}`;
    const child = fields.children.get(step);
    if (!child) return [item];
    if (child.own || shape.kind !== "keyed") return [];
    return [removeFrom(item, child, shape.item)];
  });
  return rest.length === 0 ? undefined : rest;
}

function applyConflict(conflicts: readonly { readonly ownership: Ownership; readonly fields: FieldSet }[]): ApiError {
  const causes: StatusCause[] = [];
  const groups: string[] = [];
  for (const { ownership, fields } of conflicts) {
    const { manager, operation, subresource, apiVersion, time } = ownership;
    let who = `conflict with ${JSON.stringify(manager)}`;
    if (subresource) who += ` with subresource ${JSON.stringify(subresource)}`;
    if (operation === "Update") who += ` using ${apiVersion}${time ? ` at ${time}` : ""}`;
    const paths = pathTexts(fields);
    for (const field of paths) causes.push({ reason: "FieldManagerConflict", message: who, field });
    groups.push(paths.length === 1 && conflicts.length === 1 ? `${who}: ${paths[0]}` : listPaths(who, paths));
  }
  const count = causes.length;
  const text = groups.join("\n");
  const message = `Apply failed with ${count} conflict${count === 1 ? "" : "s"}: ${text}`;
  return new ApiError(409, "Conflict", message, { causes });
}

function listPaths(who: string, paths: readonly string[]): string {
  return [`${who.replace(/^conflict /, "conflicts ")}:`, ...paths.map((path) => `- ${path}`)].join("\n");
}
