import { type KubeObject, parseTime } from "../../api/mod.ts";

/** Orders objects of a namespace: oldest first, then by name. An object without a creation time sorts first. */
export function byCreation(a: KubeObject, b: KubeObject): number {
  return createdAtMs(a) - createdAtMs(b) || compareNames(a.metadata?.name ?? "", b.metadata?.name ?? "");
}

function createdAtMs({ metadata }: KubeObject): number {
  return metadata?.creationTimestamp ? parseTime(metadata.creationTimestamp) : 0;
}

function compareNames(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
