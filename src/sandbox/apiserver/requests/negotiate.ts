import { type MediaRange, mediaRanges } from "../../../base/mod.ts";
import { notAcceptable } from "../base/mod.ts";
import type { Route } from "./routes.ts";

export interface Form {
  /** The whole object, only its metadata, or rows for kubectl. */
  readonly shape: "object" | "metadata" | "table";
  readonly yaml: boolean;
  /** With line breaks and indentation, for people. */
  readonly pretty?: boolean;
  /** The version of PartialObjectMetadata and Table; v1 if absent. */
  readonly metaVersion?: "v1beta1";
  /** The requested kind, for objects or for lists. */
  readonly as?: string;
}

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const TYPES = ["application/json", "application/yaml", PROTOBUF];
const WATCH_TYPES = ["application/json;stream=watch", `${PROTOBUF};stream=watch`];
/** Clients that get readable responses without asking. */
const PEOPLE = /^(?:curl|Wget|Mozilla\/5\.0)/;

function formOf({ type, parameters }: MediaRange): Form | undefined {
  const yaml = type === "application/yaml";
  if (!yaml && type !== "application/json" && type !== "*/*") return undefined;
  const pretty = parameters.get("pretty") === "1" ? { pretty: true } : {};
  const as = parameters.get("as");
  if (as === undefined) return { shape: "object", yaml, ...pretty };
  const version = parameters.get("v");
  if (parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  const form = { yaml, as, ...pretty, ...version === "v1beta1" ? { metaVersion: version } as const : {} };
  if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList") return { shape: "metadata", ...form };
  return as === "Table" ? { shape: "table", ...form } : undefined;
}

const JSON_FORM: Form = { shape: "object", yaml: false };

/**
 * The preferred form in the `Accept` header that can be served. Upstream:
 * `apiserver/pkg/endpoints/handlers/negotiation`.
 *
 * @throws {ApiError} 406 if there is none.
 */
export function negotiate({ headers }: Request, query: URLSearchParams, { verb, name, subresource }: Route): Form {
  const accept = headers.get("accept");
  const isPretty = wantsPretty(headers, query);
  if (!accept || accept === "application/json" || accept === "*/*") {
    return isPretty ? { ...JSON_FORM, pretty: true } : JSON_FORM;
  }
  const ranges = mediaRanges(accept);
  for (const range of ranges) {
    const form = formOf(range);
    if (form) return isPretty ? { ...form, pretty: true } : form;
  }
  if (ranges.some(({ type }) => TYPES.includes(type) || (subresource === "log" && type === "text/plain"))) {
    throw notAcceptable(`only the following media types are accepted: ${TYPES.join(", ")}`);
  }
  const isWatchable = (verb === "list" || verb === "watch") && name === "";
  const available = [...TYPES, ...isWatchable ? WATCH_TYPES : []].join(", ");
  throw notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${available}`, {});
}

function wantsPretty(headers: Headers, query: URLSearchParams): boolean {
  const asked = query.get("pretty");
  if (asked) return ["1", "t", "T", "TRUE", "true", "True"].includes(asked);
  return PEOPLE.test(headers.get("user-agent") ?? "");
}

/** JSON of partial metadata or tables in the requested version of these kinds. */
export function inMetaVersion(json: string, { metaVersion }: Form): string {
  // Quotes inside strings are escaped, so only the kinds' own apiVersion matches.
  return metaVersion
    ? json.replaceAll('"apiVersion":"meta.k8s.io/v1"', `"apiVersion":"meta.k8s.io/${metaVersion}"`)
    : json;
}
