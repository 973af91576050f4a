import {
  type DownwardAPIVolumeFile,
  type EnvVarSource,
  type ObjectFieldSelector,
  Quantity,
  type ResourceFieldSelector,
} from "../../../../api/mod.ts";
import {
  type Check,
  configMapKey,
  dnsLabel,
  dnsSubdomain,
  environmentName,
  type FieldErrors,
  qualifiedName,
} from "../../validation/mod.ts";
import { fileMode, noBacksteps, volumePath } from "../shared/mod.ts";

const ENV_FIELDS = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
const FILE_FIELDS = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];
/** What can be referred to at all. Upstream: ConvertDownwardAPIFieldLabel. */
const CONVERTIBLE = new Set([
  ...ENV_FIELDS,
  ...FILE_FIELDS,
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
]);

const RESOURCES = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const HUGE_PAGES = /^(requests|limits)\.hugepages-/;

/** A field of the pod, as environment variables and files can show it. Upstream: validateObjectFieldSelector. */
function validateFieldRef(
  { apiVersion, fieldPath }: ObjectFieldSelector,
  fields: readonly string[],
  at: string,
  errors: FieldErrors,
): void {
  if (!apiVersion) return errors.required(`${at}.apiVersion`);
  if (!fieldPath) return errors.required(`${at}.fieldPath`);
  const subscript = subscriptOf(fieldPath);
  if (apiVersion !== "v1") {
    const why = `error converting fieldPath: unsupported pod version: ${apiVersion}`;
    return errors.invalid(`${at}.fieldPath`, fieldPath, why);
  }
  const isKnown = subscript
    ? subscript.path === "metadata.annotations" || subscript.path === "metadata.labels"
    : CONVERTIBLE.has(fieldPath) || fieldPath === "spec.host";
  if (!isKnown) {
    const why = subscript
      ? `error converting fieldPath: field label does not support subscript: ${fieldPath}`
      : `error converting fieldPath: field label not supported: ${fieldPath}`;
    return errors.invalid(`${at}.fieldPath`, fieldPath, why);
  }
  if (!subscript) {
    const path = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath;
    if (!fields.includes(path)) errors.notSupported(`${at}.fieldPath`, path, fields);
    return;
  }
  const key = subscript.path === "metadata.annotations" ? subscript.key.toLowerCase() : subscript.key;
  errors.invalidFor(at, key, qualifiedName(key));
}

/** The parts of `path['key']`. Upstream: `pkg/fieldpath` (SplitMaybeSubscriptedPath). */
function subscriptOf(fieldPath: string): { readonly path: string; readonly key: string } | undefined {
  const at = fieldPath.indexOf("['");
  if (at <= 0 || !fieldPath.endsWith("']") || at + 4 > fieldPath.length) return undefined;
  return { path: fieldPath.slice(0, at), key: fieldPath.slice(at + 2, -2) };
}

const DIVISORS = "1 1k 1M 1G 1T 1P 1E 1Ki 1Mi 1Gi 1Ti 1Pi 1Ei".split(" ");
const MEASURES: ReadonlyArray<readonly [resource: RegExp, name: string]> = [
  [/^(limits|requests)\.memory$/, "memory"],
  [/^(limits|requests)\.ephemeral-storage$/, "local ephemeral storage"],
  [HUGE_PAGES, "hugepages"],
];

function validateDivisor({ resource = "", divisor }: ResourceFieldSelector, at: string, errors: FieldErrors): void {
  const quantity = Quantity.parse(divisor);
  if (quantity.isZero) return;
  const text = quantity.toString();
  if (/^(limits|requests)\.cpu$/.test(resource)) {
    if (text === "1m" || text === "1") return;
    const why = "only divisor's values 1m and 1 are supported with the cpu resource";
    return errors.invalid(`${at}.divisor`, resource, why);
  }
  const measure = MEASURES.find(([pattern]) => pattern.test(resource));
  if (!measure || DIVISORS.includes(text)) return;
  const why = `only divisor's values ${DIVISORS.join(", ")} are supported with the ${measure[1]} resource`;
  errors.invalid(`${at}.divisor`, resource, why);
}

/** An amount of a container's resources; files say of which container. */
function validateResourceRef(ref: ResourceFieldSelector, at: string, errors: FieldErrors, isFile: boolean): void {
  if (isFile && !ref.containerName) errors.required(`${at}.containerName`);
  else if (!ref.resource) errors.required(`${at}.resource`);
  else if (!RESOURCES.includes(ref.resource) && !HUGE_PAGES.test(ref.resource)) {
    errors.notSupported(`${at}.resource`, ref.resource, RESOURCES);
  }
  validateDivisor(ref, at, errors);
}

type KeyRef = { readonly name?: string; readonly key?: string };

const keyRef: Check<KeyRef> = ({ name = "", key }, at, errors) => {
  errors.invalidFor(`${at}.name`, name, dnsSubdomain(name));
  if (!key) errors.required(`${at}.key`);
  else errors.invalidFor(`${at}.key`, key, configMapKey(key));
};

const fileKeyRef: Check<NonNullable<EnvVarSource["fileKeyRef"]>> = ({ key, volumeName, path }, at, errors) => {
  if (!key) errors.required(`${at}.key`);
  else errors.invalidFor(`${at}.key`, key, environmentName(key));
  if (!volumeName) errors.required(`${at}.volumeName`);
  else errors.invalidFor(`${at}.volumeName`, volumeName, dnsLabel(volumeName));
  if (!path) errors.required(`${at}.path`);
  else noBacksteps(path, `${at}.path`, errors);
};

/** Where an environment variable's value comes from, if it is not given. */
export function validateValueFrom(from: EnvVarSource, value: string, at: string, errors: FieldErrors): void {
  let sources = 0;
  if (from.fieldRef && ++sources) validateFieldRef(from.fieldRef, ENV_FIELDS, `${at}.fieldRef`, errors);
  if (from.resourceFieldRef && ++sources) {
    validateResourceRef(from.resourceFieldRef, `${at}.resourceFieldRef`, errors, false);
  }
  if (from.configMapKeyRef && ++sources) keyRef(from.configMapKeyRef, `${at}.configMapKeyRef`, errors);
  if (from.secretKeyRef && ++sources) keyRef(from.secretKeyRef, `${at}.secretKeyRef`, errors);
  if (from.fileKeyRef && ++sources) fileKeyRef(from.fileKeyRef, `${at}.fileKeyRef`, errors);
  if (sources === 0) {
    const kinds = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
    errors.invalid(at, "", `must specify one of: ${kinds}`);
  } else if (value !== "") errors.invalid(at, "", "may not be specified when `value` is not empty");
  else if (sources > 1) errors.invalid(at, "", "may not have more than one field specified at a time");
}

/** A file that shows a field or a resource of the pod. */
export const downwardFile: Check<DownwardAPIVolumeFile> = (file, at, errors) => {
  const { path = "", fieldRef, resourceFieldRef, mode } = file;
  if (!path) errors.required(`${at}.path`);
  volumePath(path, `${at}.path`, errors);
  if (fieldRef) {
    validateFieldRef(fieldRef, FILE_FIELDS, `${at}.fieldRef`, errors);
    if (resourceFieldRef) {
      errors.invalid(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (resourceFieldRef) validateResourceRef(resourceFieldRef, `${at}.resourceFieldRef`, errors, true);
  else errors.required(at, "one of fieldRef and resourceFieldRef is required");
  if (mode !== undefined) fileMode(mode, `${at}.mode`, errors);
};
