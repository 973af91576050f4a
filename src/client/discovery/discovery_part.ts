import type { DiscoveredGroup, DiscoveredResource } from "./discovered.ts";

/** What one of `/api` and `/apis` says. */
export interface DiscoveryPart {
  readonly groups: DiscoveredGroup[];
  /** Absent when only the groups are known, and each version has to be asked for. */
  readonly resources?: Map<string, DiscoveredResource[]>;
  readonly failures?: Map<string, Error>;
}

/** A JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects in the list called `key`; none if there is no such list. */
export function recordsOf(value: unknown, key: string): Record<string, unknown>[] {
  const list = isRecord(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** The text called `key`; empty if there is none. */
export function textOf(value: Record<string, unknown>, key: string): string {
  const text = value[key];
  return typeof text === "string" ? text : "";
}

/** The texts in the list called `key`. */
export function textsOf(value: unknown, key: string): string[] {
  const list = isRecord(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter((text) => typeof text === "string") : [];
}

/** Whether `name` can name a group, a version or a resource, and so can be one segment of a path as it stands. */
export function isPathSegment(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(name);
}
