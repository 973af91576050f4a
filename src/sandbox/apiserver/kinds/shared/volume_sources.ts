import type {
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  HostPathVolumeSource,
  ISCSIPersistentVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
} from "../../../../api/mod.ts";
import {
  byteLength,
  type Check,
  dnsSubdomain,
  type FieldErrors,
  fields,
  notBetween,
  oneOf,
  required,
} from "../../validation/mod.ts";
import { noBacksteps } from "./paths.ts";

/** One source that a volume can have: whether it has it, and what must hold then. */
export interface SourceRow<T> {
  /** Returns whether `volume` has this source. `isSecond` if it has another one already. */
  check(volume: T, at: string, errors: FieldErrors, isSecond: boolean): boolean;
}

/** Where errors are reported, if not at the field itself. */
interface Places {
  readonly at?: string;
  /** For a source too many. */
  readonly second?: string;
  /** A second source is no error. */
  readonly isNeverSecond?: boolean;
}

/** A row of the table of sources. */
export function source<T, K extends keyof T & string>(
  field: K,
  check: Check<NonNullable<T[K]>>,
  { at = field, second = field, isNeverSecond = false }: Places = {},
): SourceRow<T> {
  return {
    check(volume, path, errors, isSecond) {
      const value = volume[field];
      if (value === undefined || value === null) return false;
      if (!isSecond || isNeverSecond) check(value, `${path}.${at}`, errors);
      else errors.forbidden(`${path}.${second}`, "may not specify more than 1 volume type");
      return true;
    },
  };
}

/** Sources whose plug-ins Kubernetes has removed: nothing looks into them any more. */
export const REMOVED = [
  "glusterfs",
  "flocker",
  "rbd",
  "cephfs",
  "quobyte",
  "photonPersistentDisk",
  "scaleIO",
  "storageos",
] as const;

/** Exactly one of the sources must be there. */
export function validateSources<T>(volume: T, rows: readonly SourceRow<T>[], at: string, errors: FieldErrors): void {
  let found = false;
  for (const row of rows) found = row.check(volume, at, errors, found) || found;
  if (!found) errors.required(at, "must specify a volume type");
}

const HOST_PATH_TYPES = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

export const hostPath: Check<HostPathVolumeSource> = ({ path, type }, at, errors) => {
  if (!path) return errors.required(`${at}.path`);
  noBacksteps(path, `${at}.path`, errors);
  if (type !== undefined) oneOf(...HOST_PATH_TYPES)(type, `${at}.type`, errors);
};

const partition: Check<number> = (value, at, errors) => {
  // The message is upstream's, although 0 is right.
  if (value < 0 || value > 255) errors.invalid(at, value, notBetween(1, 255));
};

export const gcePersistentDisk = fields<{ pdName?: string; partition?: number }>({ pdName: required(), partition });
export const awsElasticBlockStore = fields<{ volumeID?: string; partition?: number }>({
  volumeID: required(),
  partition,
});

export const nfs: Check<NFSVolumeSource> = ({ server, path = "" }, at, errors) => {
  if (!server) errors.required(`${at}.server`);
  if (!path) errors.required(`${at}.path`);
  if (!path.startsWith("/")) errors.invalid(`${at}.path`, path, "must be an absolute path");
};

const IQN: Readonly<Record<string, (name: string) => boolean>> = {
  iqn: endsInQualifiedName,
  eui: (name) => /^eui.[0-9A-Za-z]{16}$/.test(name),
  naa: (name) => /^naa.[0-9A-Za-z]{32}$/.test(name),
};

/** Upstream's `iqn\.\d{4}-\d{2}\.([[:alnum:]-.]+)(:[^,;*&$|\s]+)$`, which takes quadratic time here. */
function endsInQualifiedName(name: string): boolean {
  const end = name.split(/[,;*&$|\s]/).at(-1)!;
  return end.replace(/:$/, "").split(":").slice(0, -1).some((part) => {
    const [authority] = /(?<![0-9A-Za-z.-])[0-9A-Za-z.-]+$/.exec(part) ?? [""];
    return /iqn\.\d{4}-\d{2}\.[0-9A-Za-z.-]/.test(authority);
  });
}

function validateIqn(name: string, at: string, errors: FieldErrors, whyPrefix: string): boolean {
  const isValid = IQN[name.slice(0, 3)];
  if (!isValid) errors.invalid(at, name, whyPrefix);
  else if (!isValid(name)) errors.invalid(at, name, "must be valid format");
  return isValid !== undefined;
}

const ISCSI_TOO_LONG =
  "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";

export function isIscsiNameTooLong(
  volumeName: string,
  { initiatorName, targetPortal = "" }: Pick<ISCSIVolumeSource, "initiatorName" | "targetPortal">,
): boolean {
  return initiatorName !== undefined && byteLength(`${volumeName}:${targetPortal}`) > 64;
}

/** `volumeName` is given for volumes of their own, whose length is checked in between. */
function validateIscsi(
  iscsi: ISCSIVolumeSource | ISCSIPersistentVolumeSource,
  at: string,
  errors: FieldErrors,
  volumeName?: string,
): void {
  const { targetPortal = "", iqn, lun = 0, chapAuthDiscovery, chapAuthSession, secretRef, initiatorName } = iscsi;
  const why = volumeName === undefined ? "must be valid format starting with iqn, eui, or naa" : "must be valid format";
  if (!targetPortal) errors.required(`${at}.targetPortal`);
  if (volumeName !== undefined && isIscsiNameTooLong(volumeName, iscsi)) {
    errors.invalid(`${at}.targetportal`, targetPortal, ISCSI_TOO_LONG);
  }
  if (!iqn) errors.required(`${at}.iqn`);
  else validateIqn(iqn, `${at}.iqn`, errors, why);
  if (lun < 0 || lun > 255) errors.invalid(`${at}.lun`, lun, notBetween(0, 255));
  if ((chapAuthDiscovery || chapAuthSession) && !secretRef) errors.required(`${at}.secretRef`);
  if (volumeName !== undefined && secretRef && !secretRef.name) errors.required(`${at}.secretRef.name`);
  if (initiatorName !== undefined) validateIqn(initiatorName, `${at}.initiatorname`, errors, why);
}

export const iscsi: Check<ISCSIVolumeSource> = (value, at, errors) => validateIscsi(value, at, errors);
export const iscsiOf = (volumeName: string): Check<ISCSIPersistentVolumeSource> => (value, at, errors) =>
  validateIscsi(value, at, errors, volumeName);
export { ISCSI_TOO_LONG };

export const fc: Check<FCVolumeSource> = ({ targetWWNs = [], wwids = [], lun }, at, errors) => {
  if (targetWWNs.length < 1 && wwids.length < 1) {
    errors.required(`${at}.targetWWNs`, "must specify either targetWWNs or wwids, but not both");
  }
  if (targetWWNs.length === 0) return;
  if (wwids.length > 0) {
    errors.invalid(`${at}.targetWWNs`, targetWWNs, "targetWWNs and wwids can not be specified simultaneously");
  }
  if (lun === undefined) errors.required(`${at}.lun`, "lun is required if targetWWNs is specified");
  else if (lun < 0 || lun > 255) errors.invalid(`${at}.lun`, lun, notBetween(0, 255));
};

export const flexVolume: Check<Pick<FlexVolumeSource, "driver" | "options">> = ({ driver, options }, at, errors) => {
  if (!driver) errors.required(`${at}.driver`);
  for (const key in options) {
    if (/\.(kubernetes|k8s)\.io$/.test(`.${key.split("/")[0].toLowerCase()}`)) {
      errors.invalid(`${at}.options[${key}]`, key, "kubernetes.io and k8s.io namespaces are reserved");
    }
  }
};

const MANAGED_URI = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const BLOB_URI = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

export const azureDisk: Check<AzureDiskVolumeSource> = (disk, at, errors) => {
  fields<AzureDiskVolumeSource>({
    diskName: required(),
    diskURI: required(),
    cachingMode: oneOf("None", "ReadOnly", "ReadWrite"),
    kind: oneOf("Dedicated", "Managed", "Shared"),
  })(disk, at, errors);
  const { kind, diskURI = "" } = disk;
  if (kind === undefined) return;
  const isManaged = kind === "Managed";
  if (diskURI.startsWith(isManaged ? "/subscriptions/" : "https://")) return;
  errors.notSupported(`${at}.diskURI`, diskURI, [isManaged ? MANAGED_URI : BLOB_URI]);
};

export const vsphereVolume = fields<{ volumePath?: string }>({ volumePath: required() });
export const portworxVolume = fields<{ volumeID?: string }>({ volumeID: required() });

type Named = { name?: string; namespace?: string };

/** A secret by name; of volumes of their own also by namespace. */
const secretName = fields<Named>({ name: required() });
const secretNameAndNamespace = fields<Named>({ name: required(), namespace: required() });

export const cinder = fields<{ volumeID?: string; secretRef?: Named }>({
  volumeID: required(),
  secretRef: secretName,
});
export const cinderOfCluster = fields<{ volumeID?: string; secretRef?: Named }>({
  volumeID: required(),
  secretRef: secretNameAndNamespace,
});

/** The name under which a storage plug-in is known. */
export const csiDriverName: Check<string> = (name, at, errors) => {
  if (byteLength(name) > 63) errors.tooLong(at, 63);
  errors.invalidFor(at, name, dnsSubdomain(name.toLowerCase()));
};
