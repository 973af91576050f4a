import {
  compareResourceVersions,
  isConditionTrue,
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
  unchanged,
  unique,
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
  unique(storageVersions, "status.storageVersions", errors, ({ apiServerID }) => apiServerID, ".apiServerID");
  for (const [i, { encodingVersion = "", decodableVersions = [] }] of storageVersions.entries()) {
    if (decodableVersions.includes(encodingVersion)) continue;
    const at = `status.storageVersions[${i}].decodableVersions`;
    errors.invalid(at, decodableVersions, `must include ${encodingVersion}`);
  }
  const [common, ...others] = new Set(storageVersions.map(({ encodingVersion }) => encodingVersion));
  const actual = others.length === 0 ? common : undefined;
  if (actual === commonEncodingVersion) return;
  errors.invalid("status.commonEncodingVersion", commonEncodingVersion ?? null, `must be ${actual ?? "absent"}`);
}

/** Upstream: `pkg/registry/apiserverinternal/storageversion`. */
export const storageVersions: Traits<StorageVersion> = {
  names: versionName,
  needsResourceVersion: true,
  keepsMetadataOnStatus: true,
  validateStatus: ({ status }, _old, errors) => validateVersionStatus(status ?? {}, errors),
};

const migrated = fields<{ resource: string; group: string }>({ resource: "!dns1035", group: "subdomain" });

const holds = ({ status }: Stored<StorageVersionMigration>, type: string) => isConditionTrue(status?.conditions, type);

/** Upstream: `pkg/registry/storagemigration/storagemigration`. */
export const storageVersionMigrations: Traits<StorageVersionMigration> = {
  immutable: ["spec"],
  needsResourceVersion: true,
  keepsMetadataOnStatus: true,
  validate: ({ spec }, errors) => migrated(spec?.resource ?? { resource: "", group: "" }, "spec.resource", errors),
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
