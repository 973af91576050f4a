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

/** How a table is wanted. */
export interface TableOptions {
  readonly query: URLSearchParams;
  readonly nowMs: number;
  /** Leaves the columns out: they were in the first table of the watch. */
  readonly withoutColumns?: boolean;
}

/** Objects as rows, for kubectl alone: nothing that answers requests knows of columns. */
export interface Tables {
  /** @throws {ApiError} 400 if the rows are to include what they cannot. */
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
  /** Texts for `Warning` headers of the answer, be it a refusal. */
  readonly warnings: Set<string>;
}

const OPTIONS: Readonly<Record<string, WriteOptionsKind>> = {
  create: "CreateOptions",
  update: "UpdateOptions",
  patch: "PatchOptions",
};

/**
 * The circumstances of a write, as the query describes them.
 *
 * @param isApply Whether it is an apply patch, which must name its manager.
 * @throws {ApiError} 422 for parameters that cannot be.
 */
export function operationOf(exchange: Exchange, isApply = false): Operation {
  const { query, route } = exchange;
  const parameters = writeParameters(query, OPTIONS[route.verb] ?? "CreateOptions", isApply);
  return { ...operationWith(exchange, parameters), options: sentOptions(query) };
}

/** The options of a write as they were sent. */
function sentOptions(query: URLSearchParams): JsonObject {
  if (query.size === 0) return {};
  const [dryRun, fieldManager, fieldValidation] = [
    query.getAll("dryRun"),
    query.get("fieldManager"),
    query.get("fieldValidation"),
  ];
  return {
    ...dryRun.length > 0 ? { dryRun } : {},
    ...fieldManager ? { fieldManager } : {},
    ...fieldValidation ? { fieldValidation } : {},
  };
}

/** The circumstances of a write with these parameters. */
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

/** How an answer to a request is to be written, besides its body. */
export function answerOptions({ form: { yaml, pretty }, warnings }: Exchange, status = 200) {
  return { status, yaml, pretty, warnings };
}

/** An answer that carries one object, in the form that was asked for. */
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

/** An object as its metadata alone or as a table of one row. */
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

/** @throws {ApiError} 406 if the metadata of one object was asked for, and the answer is a list. */
export function checkListForm({ form, route }: Exchange): void {
  if (form.as !== "PartialObjectMetadata") return;
  const kind = `${goName(route)}${route.served.kind}List`;
  throw notAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (*${kind})`);
}

/** What Go calls the package of a kind's internal type: `core.`; custom resources have none of their own. */
function goName({ served }: Route): string {
  return served.custom ? "unstructured.Unstructured/" : `${served.group.split(".")[0] || "core"}.`;
}
