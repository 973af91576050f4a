import type { StoredObject } from "../../storage/mod.ts";
import {
  answerText,
  type Form,
  inMetaVersion,
  managerOfAgent,
  metadataText,
  objectText,
  type Route,
  type WriteOptionsKind,
  writeParameters,
} from "../requests/mod.ts";
import type { Authenticator } from "../authentication/mod.ts";
import type { User } from "../access/mod.ts";
import { type JsonObject, notAcceptable } from "../base/mod.ts";
import type { Operation, ServerState } from "../operations/mod.ts";
import type { ServedResource } from "../resources/mod.ts";
import type { Watches } from "../reads/mod.ts";

/** The requested form of a table. */
export interface TableOptions {
  readonly query: URLSearchParams;
  readonly nowMs: number;
  /** Leaves out the columns, which the first table of the watch had. */
  readonly withoutColumns?: boolean;
}

/** Shows objects as rows, for kubectl; an interface, so that request handlers do not depend on columns. */
export interface Tables {
  /** @throws {ApiError} 400 if the query asks to include something unknown in the rows. */
  checkInclude(query: URLSearchParams): void;
  render(served: ServedResource, objects: readonly StoredObject[], metadata: object, options: TableOptions): string;
}

/** One request to a resource and everything its handler needs. */
export interface Exchange {
  readonly state: ServerState;
  readonly route: Route;
  readonly request: Request;
  readonly query: URLSearchParams;
  readonly form: Form;
  readonly user: User;
  readonly authenticator: Authenticator;
  readonly watches: Watches;
  readonly tables: Tables;
  /** Texts for `Warning` headers of the response, including refusals. */
  readonly warnings: Set<string>;
}

const OPTIONS: Readonly<Record<string, WriteOptionsKind>> = {
  create: "CreateOptions",
  update: "UpdateOptions",
  patch: "PatchOptions",
};

/**
 * The parameters of a write from the query.
 *
 * @param isApply Whether it is an apply patch, which needs a field manager.
 * @throws {ApiError} 422 for invalid parameters.
 */
export function operationOf(exchange: Exchange, isApply = false): Operation {
  const { query, route } = exchange;
  const parameters = writeParameters(query, OPTIONS[route.verb] ?? "CreateOptions", isApply);
  return { ...operationWith(exchange, parameters), options: sentOptions(query) };
}

/** The options of a write as they were sent. */
function sentOptions(query: URLSearchParams): JsonObject {
  return {
    dryRun: query.has("dryRun") ? query.getAll("dryRun") : undefined,
    fieldManager: query.get("fieldManager") || undefined,
    fieldValidation: query.get("fieldValidation") || undefined,
  };
}

/** A write with these parameters. */
export function operationWith(
  { state, route, request, user, warnings }: Exchange,
  { fieldManager, ...parameters }: Pick<Operation, "dryRun" | "fieldManager" | "fieldValidation">,
): Operation {
  return {
    state,
    served: route.served,
    namespace: route.namespace,
    user,
    ...parameters,
    fieldManager: fieldManager || managerOfAgent(request.headers.get("user-agent") || "unknown"),
    warnings,
  };
}

/** The options for writing a response to a request. */
export function answerOptions({ form: { yaml, pretty }, warnings }: Exchange, status = 200) {
  return { status, yaml, pretty, warnings };
}

/** A response with one object in the requested form. */
export function answerObject(
  exchange: Exchange,
  object: StoredObject,
  { status = 200 }: { readonly status?: number } = {},
): Response {
  const { form, route, query, tables } = exchange;
  if (form.shape === "object") return answerText(objectText(route.served, object), answerOptions(exchange, status));
  if (form.shape === "table") tables.checkInclude(query);
  if (form.as === "PartialObjectMetadataList") {
    const { kind } = route.served;
    throw notAcceptable(
      `you requested PartialObjectMetadataList, but the requested object is not a list (*${goName(route)}${kind})`,
    );
  }
  return answerText(partText(exchange, route.served, object), answerOptions(exchange, status));
}

/** An object's metadata alone, or a table with one row. */
export function partText(
  { form, query, state, tables }: Exchange,
  served: ServedResource,
  object: StoredObject,
  { withoutColumns }: Pick<TableOptions, "withoutColumns"> = {},
): string {
  if (form.shape === "metadata") return inMetaVersion(metadataText(object), form);
  const { resourceVersion } = object.metadata;
  const options = { query, nowMs: state.world.clock.wallMs(), withoutColumns };
  return inMetaVersion(tables.render(served, [object], { resourceVersion }, options), form);
}

/** @throws {ApiError} 406 if the request asks for the metadata of one object, but the response is a list. */
export function checkListForm({ form, route }: Exchange): void {
  if (form.as !== "PartialObjectMetadata") return;
  const kind = `${goName(route)}${route.served.kind}List`;
  throw notAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (*${kind})`);
}

/** The Go package of a kind's internal type, such as `core.`; custom resources have none. */
function goName({ served }: Route): string {
  return served.custom ? "unstructured.Unstructured/" : `${served.group.split(".")[0] || "core"}.`;
}
