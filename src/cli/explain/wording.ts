import { apiVersionOf, formatTime, groupResource, type KubeObject, parseTime, type Resource } from "../../api/mod.ts";
import type { ObjectName } from "./finding.ts";

/** The context for wording, besides the facts. */
export interface Wording {
  readonly nowMs: number;
  /** The namespace that need not be named. */
  readonly namespace?: string;
}

/** An object as a reference. */
export function objectName(resource: Resource, { metadata }: KubeObject): ObjectName {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    namespace: metadata?.namespace,
    name: metadata?.name ?? "",
    uid: metadata?.uid,
  };
}

/** An object's name in kubectl's format, such as `deployment.apps/web`. */
export function shortName({ apiVersion, kind, name }: Pick<ObjectName, "apiVersion" | "kind" | "name">): string {
  const [group, version] = apiVersion.split("/");
  return `${kind.toLowerCase()}${version === undefined ? "" : `.${group}`}/${name}`;
}

/** The same, with the namespace unless it need not be named. */
export function nameIn(object: ObjectName, { namespace }: Wording): string {
  const isSaid = object.namespace !== undefined && object.namespace !== namespace;
  return `${shortName(object)}${isSaid ? ` in namespace ${object.namespace}` : ""}`;
}

/** kubectl's arguments for one object. */
export function kubectlName(resource: Resource, { metadata }: KubeObject): string {
  const where = metadata?.namespace ? ` -n ${shellWord(metadata.namespace)}` : "";
  return `${shellWord(`${groupResource(resource)}/${metadata?.name}`)}${where}`;
}

/** Quotes a word for a shell. Names of some kinds may contain nearly anything, and people paste what they see. */
export function shellWord(text: string): string {
  return /^[\w.:/@=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** An age in its largest unit: `12s`, `5m`, `3h`, `9d`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 48 * 3600 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86400)}d`;
}

/** `5m ago (2026-01-01T00:00:00Z)`. */
export function agoText(time: string, { nowMs }: Wording): string {
  return `${ageText(nowMs - parseTime(time))} ago (${time})`;
}

/** When the deletion was requested. The deletion timestamp says when the grace period ends. */
export function deletionAsked({ metadata }: KubeObject): string | undefined {
  if (!metadata?.deletionTimestamp) return undefined;
  const graceMs = (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  return formatTime(parseTime(metadata.deletionTimestamp) - graceMs);
}

/** `1 object`, `2 objects`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
