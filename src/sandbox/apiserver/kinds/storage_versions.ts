import {
  compareResourceVersions,
  findCondition,
  type StorageVersion,
  type StorageVersionMigration,
  type StorageVersionStatus,
} from "../../../api/mod.ts";
import type { Stored, Traits } from "../traits/mod.ts";
import {
  dns1035Label,
  dnsSubdomain,
  type FieldErrors,
  fields,
  type Format,
  formatted,
  required,
  unchanged,
} from "../validation/mod.ts";

const versionName: Format = (name) => {
  const dot = name.lastIndexOf(".");
  if (dot < 0) return ["name must be in the form of <group>.<resource>"];
  return [
    ...dnsSubdomain(name.slice(0, dot)).map((problem) => `the group segment ${problem}`),
    ...dns1035Label(name.slice(dot + 1)).map((problem) => `the resource segment ${problem}`),
  ];
};

function validateVersionStatus(
  { storageVersions = [], commonEncodingVersion }: StorageVersionStatus,
  errors: FieldErrors,
) {
  const servers = new Set<string>();
  for (const [i, { apiServerID = "", encodingVersion = "", decodableVersions = [] }] of storageVersions.entries()) {
    if (servers.has(apiServerID)) errors.duplicate(`status.storageVersions[${i}].apiServerID`, apiServerID);
    servers.add(apiServerID);
    if (decodableVersions.includes(encodingVersion)) continue;
    const detail = `must include ${encodingVersion}`;
    errors.invalid(`status.storageVersions[${i}].decodableVersions`, decodableVersions, detail);
  }
  const [common, ...others] = new Set(storageVersions.map(({ encodingVersion }) => encodingVersion));
  const actual = others.length === 0 ? common : undefined;
  if (actual === commonEncodingVersion) return;
  const at = "status.commonEncodingVersion";
  if (actual === undefined) {
    const detail =
      "should be nil if servers do not agree on the same encoding version, or if there is no server reporting " +
      "the supported versions yet";
    errors.invalid(at, commonEncodingVersion, detail);
  } else if (commonEncodingVersion === undefined) {
    errors.invalid(at, null, `the common encoding version is ${actual}`);
  } else errors.invalid(at, commonEncodingVersion, `the actual common encoding version is ${actual}`);
}

/** Upstream: `pkg/registry/apiserverinternal/storageversion`. */
export const storageVersions: Traits<StorageVersion> = {
  names: versionName,
  needsResourceVersion: true,
  validateStatus: ({ status }, _old, errors) => validateVersionStatus(status ?? {}, errors),
};

const migrated = fields<{ resource: string; group: string }>({
  resource: required(formatted(dns1035Label), "resource is required to be set"),
  group: formatted(dnsSubdomain),
});

const holds = ({ status }: Stored<StorageVersionMigration>, type: string) =>
  findCondition(status?.conditions, type)?.status === "True";

/** Upstream: `pkg/registry/storagemigration/storagemigration`. */
export const storageVersionMigrations: Traits<StorageVersionMigration> = {
  needsResourceVersion: true,
  validate: ({ spec }, errors) => migrated(spec?.resource ?? { resource: "", group: "" }, "spec.resource", errors),
  validateUpdate: ({ spec }, old, errors) => unchanged(spec, old.spec, "spec", errors),
  validateStatus(migration, old, errors) {
    const { resourceVersion = "", conditions } = migration.status ?? {};
    const before = old.status?.resourceVersion ?? "";
    if (resourceVersion !== "" && compareResourceVersions(resourceVersion, resourceVersion) === undefined) {
      errors.invalid("status.resourceVersion", resourceVersion, "resource version is not well formed");
    }
    if (before !== "") unchanged(resourceVersion, before, "status.resourceVersion", errors);
    const refuse = (detail: string) => errors.invalid("status.conditions", conditions, detail);
    if (holds(migration, "Succeeded") && holds(migration, "Failed")) {
      refuse("Both success and failed conditions cannot be true at the same time");
    }
    for (const [type, word] of [["Succeeded", "Success"], ["Failed", "Failed"]]) {
      if (holds(old, type) && !holds(migration, type)) {
        refuse(`${word} condition cannot be set to false once it is true`);
      }
    }
  },
};
