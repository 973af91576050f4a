import { notAcceptable } from "./errors.ts";

/** How an answer is written. */
export interface Form {
  /** The whole object, its metadata alone, or rows for kubectl. */
  readonly shape: "object" | "metadata" | "table";
  readonly yaml: boolean;
}

interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const WHOLE: Form = { shape: "object", yaml: false };

function parseAccept(header: string): MediaRange[] {
  return header.split(",").map((part) => {
    const [type, ...rest] = part.split(";").map((text) => text.trim());
    const parameters = rest.map((text): [string, string] => {
      const [key, value = ""] = text.split("=");
      return [key.trim(), value.trim()];
    });
    return { type: type.toLowerCase(), parameters: new Map(parameters) };
  });
}

function formOf({ type, parameters }: MediaRange): Form | undefined {
  const yaml = type === "application/yaml";
  if (!yaml && !["application/json", "application/*", "*/*"].includes(type)) return undefined;
  const as = parameters.get("as");
  if (as === undefined) return { shape: "object", yaml };
  if (parameters.get("g") !== "meta.k8s.io" || parameters.get("v") !== "v1") return undefined;
  if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList") return { shape: "metadata", yaml };
  return as === "Table" ? { shape: "table", yaml } : undefined;
}

/**
 * What the `Accept` header asks for: the first range that can be served.
 *
 * @throws {ApiError} 406 if there is none.
 */
export function negotiate(accept: string | null): Form {
  if (!accept) return WHOLE;
  for (const range of parseAccept(accept)) {
    const form = formOf(range);
    if (form) return form;
  }
  throw notAcceptable(["application/json", "application/yaml"]);
}

/** Whether aggregated discovery (`apidiscovery.k8s.io/v2`) is asked for, before any plain form. */
export function wantsAggregatedDiscovery(accept: string | null): boolean {
  for (const { type, parameters } of parseAccept(accept ?? "")) {
    if (type !== "application/json") continue;
    if (!parameters.has("as")) return false;
    if (
      parameters.get("g") === "apidiscovery.k8s.io" && parameters.get("v") === "v2" &&
      parameters.get("as") === "APIGroupDiscoveryList"
    ) return true;
  }
  return false;
}
