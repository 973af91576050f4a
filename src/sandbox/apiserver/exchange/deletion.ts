import { badRequest, isObject, readBody, type RequestBody, translate } from "../base/mod.ts";
import { decodeDocument, DocumentError, readDocument } from "../decoding/mod.ts";
import { type Exchange, operationWith } from "./exchange.ts";
import type { Operation } from "../operations/mod.ts";
import { booleanParameter, integerParameter, readDryRun, refuse } from "../requests/mod.ts";
import { structOf, typeName } from "../schema/mod.ts";
import { FieldErrors } from "../validation/mod.ts";
import type { DeleteOptions } from "../writes/mod.ts";

const DELETE_OPTIONS = { group: "", version: "v1", kind: "DeleteOptions", struct: structOf("meta.v1.DeleteOptions")! };
const TYPE_META = { apiVersion: "v1", kind: "DeleteOptions" };
const POLICIES = ["Foreground", "Background", "Orphan"];

export interface SentOptions extends DeleteOptions {
  readonly dryRun?: readonly string[];
}

/**
 * The options of a deletion: from the body or, without one, from the query.
 *
 * @throws {ApiError} 400 or 422 for invalid options.
 */
export async function readDeletion(
  exchange: Exchange,
): Promise<{ readonly operation: Operation; readonly options: DeleteOptions }> {
  const body = await readBody(exchange.request);
  const options = body.isEmpty ? fromQuery(exchange.query) : fromBody(body);
  const dryRun = checkDeleteOptions(options);
  const operation = operationWith(exchange, { dryRun, fieldManager: "", fieldValidation: "Ignore" });
  warnAboutJobs(operation, options);
  return { operation: { ...operation, options: { ...options } }, options };
}

/**
 * Reads DeleteOptions of any version.
 *
 * @throws {ApiError} 400 if the body is something else.
 */
function fromBody(body: RequestBody): SentOptions {
  const read = () => {
    const document = readDocument(body);
    if (document.value === null) return {};
    checkType(document.value);
    return decodeDocument(document, TYPE_META, DELETE_OPTIONS, false).object;
  };
  return translate(read, DocumentError, (why) => badRequest(`the options cannot be read: ${why}`));
}

function checkType(value: unknown): void {
  if (!isObject(value)) throw new DocumentError(`they must be an object, not ${typeName(value)}`);
  const { kind } = value;
  if (kind === undefined || kind === null || kind === "" || kind === "DeleteOptions") return;
  throw new DocumentError(`their kind must be DeleteOptions, not ${kind}`);
}

function fromQuery(query: URLSearchParams): SentOptions {
  return {
    gracePeriodSeconds: integerParameter(query, "gracePeriodSeconds"),
    propagationPolicy: query.get("propagationPolicy") ?? undefined,
    orphanDependents: booleanParameter(query, "orphanDependents"),
    dryRun: query.has("dryRun") ? query.getAll("dryRun") : undefined,
  };
}

/**
 * Validates options and returns whether they ask for a dry run. Upstream: ValidateDeleteOptions.
 *
 * @throws {ApiError} 422 if they are invalid.
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
