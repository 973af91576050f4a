import {
  type FieldSelector,
  groupResource,
  parseFieldSelector,
  parseLabelSelector,
  type Selector,
  SelectorError,
} from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { badRequest, translate } from "../base/mod.ts";
import type { ServedResource } from "../resources/mod.ts";

/** Selects the objects of a list, watch or deletecollection. */
export interface Selection {
  matches(object: StoredObject): boolean;
  /** Whether every object matches. */
  readonly isEverything: boolean;
}

const EVENT_FIELDS = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/** Selectable fields besides metadata.name and metadata.namespace, which upstream lists per kind. */
const SELECTABLE: Readonly<Record<string, readonly string[]>> = {
  "pods": [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
  ],
  "events": [
    ...EVENT_FIELDS.map((field) => `involvedObject.${field}`),
    "reason",
    "reportingComponent",
    "source",
    "type",
  ],
  "events.events.k8s.io": [
    ...EVENT_FIELDS.map((field) => `regarding.${field}`),
    "reason",
    "reportingController",
    "type",
  ],
  "nodes": ["spec.unschedulable"],
  "namespaces": ["status.phase"],
  "secrets": ["type"],
  "services": ["spec.clusterIP", "spec.type"],
  "replicationcontrollers": ["status.replicas"],
  "jobs.batch": ["status.successful"],
  "certificatesigningrequests.certificates.k8s.io": ["spec.signerName"],
  "clustertrustbundles.certificates.k8s.io": ["spec.signerName"],
  "podcertificaterequests.certificates.k8s.io": ["spec.signerName", "spec.podName", "spec.nodeName"],
  "resourceslices.resource.k8s.io": ["spec.nodeName", "spec.driver"],
};

/** Where a selectable field is stored, if not at its own path. */
const STORED_AT: Readonly<Record<string, string>> = {
  "events/source": "source.component",
  "jobs.batch/status.successful": "status.succeeded",
};

/** What absent fields equal in selectors, if not the empty text. */
const ABSENT: Readonly<Record<string, string>> = {
  "spec.unschedulable": "false",
  "spec.hostNetwork": "false",
  "status.replicas": "0",
  "status.successful": "0",
};

/**
 * The selection by the query's `labelSelector` and `fieldSelector`, and by `name` if given.
 *
 * @throws {ApiError} 400 if a selector is malformed or names a field that is not selectable.
 */
export function selectionOf(served: ServedResource, query: URLSearchParams, name?: string): Selection {
  const labels = readSelector("labelSelector", query, parseLabelSelector);
  const fields = readSelector("fieldSelector", query, parseFieldSelector);
  if (fields) checkFields(served, fields);
  if (!labels && !fields && name === undefined) return { matches: () => true, isEverything: true };
  return {
    matches: (object) =>
      (name === undefined || object.metadata.name === name) &&
      (!labels || labels.matches(object.metadata.labels)) &&
      (!fields || fields.matches((path) => fieldText(served, object, path))),
    isEverything: false,
  };
}

function readSelector<S extends Selector | FieldSelector>(
  parameter: string,
  query: URLSearchParams,
  parse: (text: string) => S,
): S | undefined {
  const text = query.get(parameter);
  if (!text) return undefined;
  const selector = translate(() => parse(text), SelectorError, badRequest);
  return selector.isEmpty ? undefined : selector;
}

function checkFields(served: ServedResource, selector: FieldSelector): void {
  const known = SELECTABLE[groupResource(served)] ?? served.custom?.selectableFields;
  for (const { field } of selector.requirements) {
    if (field === "metadata.name" || (field === "metadata.namespace" && hasNamespaceField(served))) continue;
    if (known?.includes(field)) continue;
    if (!known) {
      throw badRequest(`"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`);
    }
    if (served.kind === "Job") throw badRequest(`field label "${field}" not supported for Job`);
    throw badRequest(`field label not supported: ${field}`);
  }
}

/** Cluster-scoped kinds without selectable fields of their own accept this one as well; it is empty. */
function hasNamespaceField(served: ServedResource): boolean {
  return served.namespaced || (!served.custom && !(groupResource(served) in SELECTABLE));
}

function fieldText(served: ServedResource, object: StoredObject, path: string): string {
  const storedPath = STORED_AT[`${served.collection}/${path}`] ??
    path.replace(/^regarding\./, "involvedObject.").replace(/^reportingController$/, "reportingComponent");
  let value: unknown = served.custom ? served.custom.version.view(object) : object;
  for (const part of storedPath.replace(/^\./, "").split(".")) {
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[part] : undefined;
  }
  return value === undefined || value === null ? ABSENT[path] ?? "" : String(value);
}
