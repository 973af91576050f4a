import { badRequest, isObject, readBody, type RequestBody } from "../base/mod.ts";
import { DocumentError, PROTOBUF_TYPE, readAsGo, readDocument, treeOfDocument } from "../decoding/mod.ts";
import { type Exchange, operationWith } from "./exchange.ts";
import type { Operation } from "../operations/mod.ts";
import { booleanParameter, integerParameter, readDryRun, refuse } from "../requests/mod.ts";
import { structOf } from "../schema/mod.ts";
import { FieldErrors } from "../validation/mod.ts";
import type { DeleteOptions } from "../writes/mod.ts";

const DELETE_OPTIONS = structOf("meta.v1.DeleteOptions")!;
const POLICIES = ["Foreground", "Background", "Orphan"];

/** How something is to be deleted. */
export interface Deletion {
  readonly operation: Operation;
  readonly options: DeleteOptions;
}

/** Options as a request sends them. */
export interface SentOptions extends DeleteOptions {
  readonly dryRun?: readonly string[];
}

/**
 * The options of a deletion: from the body or, if there is none, from the query.
 *
 * @throws {ApiError} 400 or 422 for options that cannot be.
 */
export async function readDeletion(exchange: Exchange): Promise<Deletion> {
  const body = await readBody(exchange.request);
  const options = body.isEmpty ? fromQuery(exchange.query) : fromBody(body);
  const dryRun = checkDeleteOptions(options);
  const operation = operationWith(exchange, { dryRun, fieldManager: "", fieldValidation: "Ignore" });
  warnAboutJobs(operation, options);
  const { dryRun: dryRuns = [], ...rest } = options;
  const sent = { ...rest, ...dryRuns.length > 0 ? { dryRun: dryRuns } : {} };
  return { operation: { ...operation, options: sent }, options };
}

/**
 * Reads DeleteOptions, of whatever version they say that they are.
 *
 * @throws {ApiError} 400 if they are something else.
 */
function fromBody(body: RequestBody): SentOptions {
  try {
    const document = readDocument(body);
    const { value } = document;
    if (value === null) return {};
    checkType(value);
    const { error } = readAsGo(treeOfDocument(document), DELETE_OPTIONS);
    if (error !== undefined) throw badRequest(error);
    return withoutNulls(value);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const isJson = body.mediaType !== PROTOBUF_TYPE && !error.message.startsWith("yaml:");
    throw badRequest(isJson ? `couldn't get version/kind; json parse error: ${error.message}` : error.message);
  }
}

function checkType(value: unknown): asserts value is Record<string, unknown> {
  if (!isObject(value)) {
    const kind = Array.isArray(value) ? "array" : typeof value;
    const header =
      'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
    throw new DocumentError(`json: cannot unmarshal ${kind} into Go value of type ${header}`);
  }
  const { kind, apiVersion = "meta.k8s.io/v1" } = value;
  if (kind === undefined || kind === null || kind === "" || kind === "DeleteOptions") return;
  throw badRequest(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`);
}

/** Read as Go reads it, it is of the type. */
function withoutNulls(value: Record<string, unknown>): SentOptions {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

function fromQuery(query: URLSearchParams): SentOptions {
  if (query.size === 0) return {};
  const gracePeriodSeconds = integerParameter(query, "gracePeriodSeconds");
  const propagationPolicy = query.get("propagationPolicy") ?? undefined;
  const orphanDependents = booleanParameter(query, "orphanDependents");
  return {
    ...gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds },
    ...propagationPolicy === undefined ? {} : { propagationPolicy },
    ...orphanDependents === undefined ? {} : { orphanDependents },
    dryRun: query.getAll("dryRun"),
  };
}

/**
 * Checks options, and returns whether they ask for a dry run. Upstream: ValidateDeleteOptions.
 *
 * @throws {ApiError} 422 if they cannot be.
 */
export function checkDeleteOptions({ propagationPolicy, orphanDependents, dryRun = [] }: SentOptions): boolean {
  const errors = new FieldErrors();
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    const why = "orphanDependents and deletionPropagation cannot be both set";
    errors.invalid("propagationPolicy", propagationPolicy, why);
  }
  if (propagationPolicy !== undefined && !POLICIES.includes(propagationPolicy)) {
    errors.notSupported("propagationPolicy", propagationPolicy, [...POLICIES, "nil"]);
  }
  const isDryRun = readDryRun(dryRun, errors);
  refuse("DeleteOptions", errors);
  return isDryRun;
}

function warnAboutJobs({ served, warnings }: Operation, { propagationPolicy, orphanDependents }: DeleteOptions): void {
  if (served.collection !== "jobs.batch" || propagationPolicy !== undefined || orphanDependents !== undefined) return;
  warnings.add(
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set " +
      "propagationPolicy=Orphan to suppress this warning",
  );
}
