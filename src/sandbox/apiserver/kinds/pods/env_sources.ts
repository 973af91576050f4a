import {
  type DownwardAPIVolumeFile,
  type EnvVarSource,
  type ObjectFieldSelector,
  type ResourceFieldSelector,
} from "../../../../api/mod.ts";
import { type Check, type FieldErrors, fields, oneOf, qualifiedName, required } from "../../validation/mod.ts";
import { fileMode, noBacksteps, volumePath } from "../shared/mod.ts";

const OF_OBJECT = ["metadata.name", "metadata.namespace", "metadata.uid"];
const ENV_FIELDS = [
  ...OF_OBJECT,
  ..."spec.nodeName spec.serviceAccountName status.hostIP status.hostIPs status.podIP status.podIPs".split(" "),
];
const MAPS = ["metadata.annotations", "metadata.labels"];
const FILE_FIELDS = [...OF_OBJECT, ...MAPS];
/** All fields that can be referred to. Upstream: ConvertDownwardAPIFieldLabel. */
const CONVERTIBLE = new Set([
  ...ENV_FIELDS,
  ...FILE_FIELDS,
  ..."spec.host spec.restartPolicy spec.schedulerName status.phase".split(" "),
]);

const RESOURCES = ["limits", "requests"].flatMap((list) =>
  ["cpu", "ephemeral-storage", "memory"].map((name) => `${list}.${name}`)
);
/** `path['key']`. Upstream: `pkg/fieldpath` (SplitMaybeSubscriptedPath). */
const SUBSCRIPT = /^([^[]+)\['(.*)'\]$/s;
const HUGE_PAGES = /^(requests|limits)\.hugepages-/;

/** A reference to a field of the pod, for environment variables and files. Upstream: validateObjectFieldSelector. */
const fieldRef = (shown: readonly string[]): Check<ObjectFieldSelector> => ({ apiVersion, fieldPath }, at, errors) => {
  const field = `${at}.fieldPath`;
  if (!apiVersion) return errors.required(`${at}.apiVersion`);
  if (!fieldPath) return errors.required(field);
  const [, map, key = ""] = SUBSCRIPT.exec(fieldPath) ?? [];
  const isKnown = map === undefined ? CONVERTIBLE.has(fieldPath) : MAPS.includes(map);
  if (apiVersion !== "v1" || !isKnown) return errors.invalid(field, fieldPath, "is not a supported field");
  if (!map) return oneOf(...shown)(fieldPath === "spec.host" ? "spec.nodeName" : fieldPath, field, errors);
  const name = map === "metadata.annotations" ? key.toLowerCase() : key;
  errors.invalidFor(at, name, qualifiedName(name));
};

/** A reference to a container's resources; in files it must name the container. */
function validateResourceRef(ref: ResourceFieldSelector, at: string, errors: FieldErrors, isFile: boolean): void {
  const { resource = "", containerName } = ref;
  if (isFile && !containerName) errors.required(`${at}.containerName`);
  else if (!resource) errors.required(`${at}.resource`);
  else if (!HUGE_PAGES.test(resource)) oneOf(...RESOURCES)(resource, `${at}.resource`, errors);
}

type KeyRef = { readonly name?: string; readonly key?: string };

const keyRef = fields<KeyRef>({ name: "*subdomain", key: "!configKey" });

const SOURCES: { readonly [K in keyof EnvVarSource]-?: Check<NonNullable<EnvVarSource[K]>> } = {
  fieldRef: fieldRef(ENV_FIELDS),
  resourceFieldRef: (ref, at, errors) => validateResourceRef(ref, at, errors, false),
  configMapKeyRef: keyRef,
  secretKeyRef: keyRef,
  fileKeyRef: fields<NonNullable<EnvVarSource["fileKeyRef"]>>({
    key: "!envName",
    volumeName: "!label",
    path: required(noBacksteps),
  }),
};
const source = fields<EnvVarSource>(SOURCES);
const SOURCE_NAMES = Object.keys(SOURCES) as (keyof EnvVarSource)[];

/** The source of an environment variable without a value. */
export function validateValueFrom(from: EnvVarSource, value: string, at: string, errors: FieldErrors): void {
  source(from, at, errors);
  const count = SOURCE_NAMES.filter((name) => from[name]).length;
  if (count !== 1) errors.invalid(at, "", `must specify one of ${SOURCE_NAMES.join(", ")}`);
  else if (value !== "") errors.invalid(at, "", "may not be specified when `value` is not empty");
}

const fileFields = fields<DownwardAPIVolumeFile>({ path: "!", fieldRef: fieldRef(FILE_FIELDS), mode: fileMode });

/** A file with a field or a resource of the pod. */
export const downwardFile: Check<DownwardAPIVolumeFile> = (file, at, errors) => {
  fileFields(file, at, errors);
  volumePath(file.path ?? "", `${at}.path`, errors);
  const { resourceFieldRef: resource } = file;
  if (!file.fieldRef && !resource) errors.required(at, "one of fieldRef and resourceFieldRef is required");
  else if (file.fieldRef && resource) {
    errors.invalid(at, "resource", "must not have both fieldRef and resourceFieldRef");
  } else if (resource) validateResourceRef(resource, `${at}.resourceFieldRef`, errors, true);
};
