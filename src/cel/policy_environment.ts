import { isReserved } from "./identifiers.ts";
import { type Environment, kubernetesEnvironment } from "./environment.ts";
import * as types from "./types.ts";

type CelType = types.CelType;

const STRINGS = types.listOf(types.STRING);
const LABELS = types.mapOf(types.STRING, types.STRING);

function structOf(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return fieldsOf(name, new Map(Object.entries(fields)));
}

function fieldsOf(name: string, fields: ReadonlyMap<string, CelType>): CelType {
  return types.struct(
    name,
    (field) => fields.get(field) ?? (isReserved(field) ? fields.get(`__${field}__`) : undefined),
  );
}

const KIND = structOf("kubernetes.GroupVersionKind", {
  group: types.STRING,
  version: types.STRING,
  kind: types.STRING,
});
const RESOURCE = structOf("kubernetes.GroupVersionResource", {
  group: types.STRING,
  version: types.STRING,
  resource: types.STRING,
});
const USER_INFO = structOf("kubernetes.UserInfo", {
  username: types.STRING,
  uid: types.STRING,
  groups: STRINGS,
  extra: types.mapOf(types.STRING, STRINGS),
});

/** Upstream: BuildRequestType of `apiserver/pkg/admission/plugin/cel/compile.go`. */
const REQUEST = structOf("kubernetes.AdmissionRequest", {
  kind: KIND,
  resource: RESOURCE,
  subResource: types.STRING,
  requestKind: KIND,
  requestResource: RESOURCE,
  requestSubResource: types.STRING,
  name: types.STRING,
  namespace: types.STRING,
  operation: types.STRING,
  userInfo: USER_INFO,
  dryRun: types.BOOL,
  options: types.DYN,
});

const NAMESPACE_SPEC = structOf("kubernetes.NamespaceSpec", { finalizers: STRINGS });
const NAMESPACE_CONDITION = structOf("kubernetes.NamespaceCondition", {
  status: types.STRING,
  type: types.STRING,
  lastTransitionTime: types.TIMESTAMP,
  message: types.STRING,
  reason: types.STRING,
});
const NAMESPACE_STATUS = structOf("kubernetes.NamespaceStatus", {
  conditions: types.listOf(NAMESPACE_CONDITION),
  phase: types.STRING,
});
const NAMESPACE_METADATA = structOf("kubernetes.NamespaceMetadata", {
  name: types.STRING,
  generateName: types.STRING,
  namespace: types.STRING,
  labels: LABELS,
  annotations: LABELS,
  UID: types.STRING,
  creationTimestamp: types.TIMESTAMP,
  deletionGracePeriodSeconds: types.INT,
  deletionTimestamp: types.TIMESTAMP,
  generation: types.INT,
  resourceVersion: types.STRING,
  finalizers: STRINGS,
});

/** Upstream: BuildNamespaceType. */
const NAMESPACE = structOf("kubernetes.Namespace", {
  metadata: NAMESPACE_METADATA,
  spec: NAMESPACE_SPEC,
  status: NAMESPACE_STATUS,
});
const STRUCTS = [
  KIND,
  RESOURCE,
  USER_INFO,
  REQUEST,
  NAMESPACE_SPEC,
  NAMESPACE_CONDITION,
  NAMESPACE_STATUS,
  NAMESPACE_METADATA,
  NAMESPACE,
];
const AUTHORIZER = types.unknownStruct("kubernetes.authorization.Authorizer");
const RESOURCE_CHECK = types.unknownStruct("kubernetes.authorization.ResourceCheck");

/** The types of the variables in a policy's expressions. */
export interface PolicyVariables {
  /** Of `object` and `oldObject`. */
  readonly object: CelType;
  /** Of `params`; absent if there is no such variable. */
  readonly params?: CelType;
  /** The policy's own, by name; they may be added later. */
  readonly variables: ReadonlyMap<string, CelType>;
  /** `none` hides the variable `authorizer`, `request` also declares `authorizer.requestResource`. */
  readonly authorizer?: "none" | "request";
}

/**
 * The environment of a policy's expressions.
 *
 * Upstream: buildEnvSet of `apiserver/pkg/admission/plugin/policy/validating/typechecking.go`.
 */
export function policyEnvironment({ object, params, variables, authorizer }: PolicyVariables): Environment {
  const own = fieldsOf("kubernetes.variables", variables);
  const idents = new Map<string, CelType>([
    ["namespaceObject", NAMESPACE],
    ["request", REQUEST],
    ["object", object],
    ["oldObject", object],
    ...(params ? [["params", params] as const] : []),
    ...(authorizer === "none" ? [] : [["authorizer", AUTHORIZER] as const]),
    ...(authorizer === "request" ? [["authorizer.requestResource", RESOURCE_CHECK] as const] : []),
    ["variables", own],
  ]);
  return kubernetesEnvironment(idents, [...STRUCTS, own]);
}

/** The type that a variable has once it is stored: types with declared fields become dynamic. */
export function storedType(type: CelType): CelType {
  switch (type.kind) {
    case "list":
      return types.listOf(storedType(type.params[0]));
    case "map":
      return types.mapOf(storedType(type.params[0]), storedType(type.params[1]));
    case "struct":
    case "opaque":
    case "type":
    case "error":
      return types.DYN;
    default:
      return type.isNullable ? types.DYN : type;
  }
}
