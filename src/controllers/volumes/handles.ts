import type { CSIPersistentVolumeSource } from "../../api/mod.ts";

/** A source as the API server returns it: empty fields are omitted. */
export function compact({ readOnly, fsType, ...csi }: CSIPersistentVolumeSource): CSIPersistentVolumeSource {
  return { ...csi, ...fsType && { fsType }, ...readOnly && { readOnly } };
}

/**
 * The ID of an AWS disk, which its volume may give as a URL that includes the zone.
 *
 * @throws {Error} If it is a URL of another form.
 */
export function ebsHandle(volumeId: string): string {
  if (!volumeId.startsWith("aws://")) return volumeId;
  const id = trimSlashes(pathOf(volumeId));
  if (/^vol-[^/]*$/.test(id)) return id;
  throw new Error(`failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (${volumeId})`);
}

function pathOf(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch {
    return "";
  }
}

function trimSlashes(path: string): string {
  let [start, end] = [0, path.length];
  while (path[start] === "/") start++;
  while (end > start && path[end - 1] === "/") end--;
  return path.slice(start, end);
}

/**
 * Where a Google disk is: in the zone given by its labels, in the region of several zones, or unspecified.
 *
 * @throws {Error} If several zones are not in one region.
 */
export function gceHandle(diskName: string, labels: Readonly<Record<string, string>> | undefined): string {
  const label = labels?.["failure-domain.beta.kubernetes.io/zone"] || labels?.["topology.kubernetes.io/zone"] || "";
  const zones = label.split("__");
  const place = zones.length > 1 ? `regions/${regionOf(zones)}` : `zones/${label || "UNSPECIFIED"}`;
  return `projects/UNSPECIFIED/${place}/disks/${diskName}`;
}

function regionOf(zones: readonly string[]): string {
  const regions = new Set<string>();
  for (const zone of zones) {
    const parts = zone.split("-");
    if (parts.length !== 3) {
      throw new Error(
        "failed to get region from zones: zone in unexpected format, " +
          `expected: {locale}-{region}-{zone}, got: ${zone}`,
      );
    }
    regions.add(parts.slice(0, 2).join("-"));
  }
  const [region, ...others] = regions;
  if (others.length === 0) return region;
  throw new Error(
    "failed to get region from zones: multiple or no regions gotten from zones, " +
      `got: ${[...regions].join(" ")}`,
  );
}

const [BEFORE_ACCOUNT, AFTER_ACCOUNT] = ["azure-storage-account-", "-secret"];

/** The storage account that a Secret is named after; the Secret's own name if it does not follow that pattern. */
export function storageAccount(secretName: string): string {
  const start = secretName.indexOf(BEFORE_ACCOUNT) + BEFORE_ACCOUNT.length;
  const end = secretName.lastIndexOf(AFTER_ACCOUNT);
  return start >= BEFORE_ACCOUNT.length && end > start ? secretName.slice(start, end) : secretName;
}
