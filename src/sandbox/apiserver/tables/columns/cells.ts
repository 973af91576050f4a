import type { KubeObject, LabelSelector, PodSpec, PodTemplateSpec } from "../../../../api/mod.ts";
import { selectorText } from "../../base/mod.ts";
import { type Column, NAME, wide } from "./column.ts";

export const NONE = "<none>";
export const UNSET = "<unset>";
export const UNKNOWN = "<unknown>";

/** The text, or `<none>` if there is none. */
export function orNone(text: string | null | undefined): string {
  return text || NONE;
}

/** `a,b,c + 2 more...`: the first of many. */
export function firstOf(all: readonly string[], limit: number, separator = ","): string {
  const shown = all.slice(0, limit).join(separator);
  return all.length > limit ? `${shown} + ${all.length - limit} more...` : shown;
}

export function sortedSet(texts: Iterable<string>): string[] {
  return [...new Set(texts)].sort();
}

/** A selector as text; `<none>` if it is empty. */
export function selectorCell(selector: LabelSelector | Readonly<Record<string, string>> | undefined): string {
  return orNone(selectorText(selector));
}

/** The name of a class, and whether one of these annotations makes it the default. */
export function classNameColumn(...annotations: readonly string[]): Column<KubeObject> {
  const isDefault = ({ metadata }: KubeObject) => annotations.some((key) => metadata?.annotations?.[key] === "true");
  return { ...NAME, cell: (object) => `${object.metadata?.name ?? ""}${isDefault(object) ? " (default)" : ""}` };
}

export function containerColumns<T extends KubeObject>(podSpec: (object: T) => PodSpec | undefined): Column<T>[] {
  const list = (object: T, field: "name" | "image") =>
    podSpec(object)?.containers?.map((container) => container[field] ?? "").join(",") ?? "";
  return [wide("Containers", (object) => list(object, "name")), wide("Images", (object) => list(object, "image"))];
}

/** A kind with a pod template and a selector. */
interface Workload extends KubeObject {
  spec?: { template?: PodTemplateSpec; selector?: LabelSelector | Record<string, string> };
}

export const TEMPLATE_COLUMNS: readonly Column<Workload>[] = containerColumns(({ spec }) => spec?.template?.spec);

export const SELECTOR_COLUMN: Column<Workload> = wide("Selector", ({ spec }) => selectorCell(spec?.selector));

export function entryCount(...maps: readonly (object | null | undefined)[]): number {
  return maps.reduce((sum: number, map) => sum + Object.keys(map ?? {}).length, 0);
}

/** Addresses of a load balancer. */
export function ingressAddresses(
  ingress: ReadonlyArray<{ readonly ip?: string; readonly hostname?: string }> | undefined,
): string[] {
  return sortedSet((ingress ?? []).map(({ ip, hostname }) => ip || hostname || "").filter((address) => address !== ""));
}
