import type { DiscoveredGroup, DiscoveredResource } from "./discovered.ts";

/** The answer of `/api` or `/apis`. */
export interface DiscoveryPart {
  readonly groups: DiscoveredGroup[];
  /** Absent if only the groups are known, and each version must be requested. */
  readonly resources?: Map<string, DiscoveredResource[]>;
  readonly failures?: Map<string, Error>;
}

/** A JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects in the list at `key`; none if there is no such list. */
export function recordsOf(value: unknown, key: string): Record<string, unknown>[] {
  const list = isRecord(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** The text at `key`; empty if there is none. */
export function textOf(value: Record<string, unknown>, key: string): string {
  const text = value[key];
  return typeof text === "string" ? text : "";
}

/** The texts in the list at `key`. */
export function textsOf(value: unknown, key: string): string[] {
  const list = isRecord(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter((text) => typeof text === "string") : [];
}

/** Whether `name` is a valid group, version or resource name, and so a path segment that needs no escaping. */
export function isPathSegment(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(name);
}
