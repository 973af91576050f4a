import type {
  FCVolumeSource,
  FlexVolumeSource,
  HostPathVolumeSource,
  ISCSIPersistentVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
} from "../../../../api/mod.ts";
import { byteLength, type Check, dnsSubdomain, type FieldErrors, notBetween, valuesOf } from "../../validation/mod.ts";
import { noBacksteps } from "./paths.ts";

export type VolumeSources<T> = { readonly [K in keyof T]?: Check<NonNullable<T[K]>> };

/**
 * Exactly one source must be set. Sources without a check belong to plug-ins that Kubernetes has removed. Every field
 * that is not in `others` is a source.
 */
export function validateSources<T extends object>(
  volume: T,
  sources: VolumeSources<T>,
  at: string,
  errors: FieldErrors,
  others: ReadonlySet<string>,
): void {
  let found = false;
  const look = (field: keyof T & string) => {
    const value = volume[field];
    if (value === undefined || value === null) return;
    // One message is misspelled upstream.
    if (found) {
      errors.forbidden(
        `${at}.${field === "downwardAPI" ? "downwarAPI" : field}`,
        "may not have more than one volume type",
      );
    } else sources[field]?.(value, `${at}.${field}`, errors);
    found = true;
  };
  for (const field in sources) look(field);
  for (const field in volume) if (!others.has(field) && !(field in sources)) look(field);
  if (!found) errors.required(at, "must specify a volume type");
}

const hostPathType = valuesOf("core.v1.HostPathVolumeSource", "type");

const hostPath: Check<HostPathVolumeSource> = ({ path, type }, at, errors) => {
  if (!path) return errors.required(`${at}.path`);
  noBacksteps(path, `${at}.path`, errors);
  if (type !== undefined) hostPathType(type, `${at}.type`, errors);
};

const nfs: Check<NFSVolumeSource> = ({ server, path = "" }, at, errors) => {
  if (!server) errors.required(`${at}.server`);
  if (!path) errors.required(`${at}.path`);
  if (!path.startsWith("/")) errors.invalid(`${at}.path`, path, "must be an absolute path");
};

const IQN = /^(?:iqn\.\d{4}-\d{2}\.[0-9A-Za-z.-]+:[^,;*&$|\s]+|eui\.[0-9A-Za-z]{16}|naa\.[0-9A-Za-z]{32})$/;

function validateIqn(name: string, at: string, errors: FieldErrors): void {
  if (!IQN.test(name)) errors.invalid(at, name, "must be a name of the form iqn, eui or naa");
}

export function isIscsiNameTooLong(
  volumeName: string,
  { initiatorName, targetPortal = "" }: Pick<ISCSIVolumeSource, "initiatorName" | "targetPortal">,
): boolean {
  return initiatorName !== undefined && byteLength(`${volumeName}:${targetPortal}`) > 64;
}

const isNumber = (value: number) => value >= 0 && value <= 255;

/** A volume on iSCSI, in a pod or persistent. */
export const iscsi: Check<ISCSIVolumeSource | ISCSIPersistentVolumeSource> = (source, at, errors) => {
  const { targetPortal, iqn, lun = 0, chapAuthDiscovery, chapAuthSession, secretRef, initiatorName } = source;
  if (!targetPortal) errors.required(`${at}.targetPortal`);
  if (!iqn) errors.required(`${at}.iqn`);
  else validateIqn(iqn, `${at}.iqn`, errors);
  if (!isNumber(lun)) errors.invalid(`${at}.lun`, lun, notBetween(0, 255));
  if ((chapAuthDiscovery || chapAuthSession) && !secretRef) errors.required(`${at}.secretRef`);
  if (initiatorName !== undefined) validateIqn(initiatorName, `${at}.initiatorname`, errors);
};

const fc: Check<FCVolumeSource> = ({ targetWWNs = [], wwids = [], lun }, at, errors) => {
  if (targetWWNs.length < 1 && wwids.length < 1) errors.required(`${at}.targetWWNs`, "targetWWNs or wwids must be set");
  if (targetWWNs.length === 0) return;
  if (wwids.length > 0) errors.invalid(`${at}.targetWWNs`, targetWWNs, "must not be set together with wwids");
  if (lun === undefined) errors.required(`${at}.lun`, "must be set with targetWWNs");
  else if (!isNumber(lun)) errors.invalid(`${at}.lun`, lun, notBetween(0, 255));
};

const flexVolume: Check<Pick<FlexVolumeSource, "driver" | "options">> = ({ driver, options }, at, errors) => {
  if (!driver) errors.required(`${at}.driver`);
  for (const key in options) {
    if (!/\.(kubernetes|k8s)\.io$/.test(`.${key.split("/")[0].toLowerCase()}`)) continue;
    errors.invalid(`${at}.options[${key}]`, key, "kubernetes.io and k8s.io namespaces are reserved");
  }
};

/** Sources of both pods' and persistent volumes that current plug-ins serve. */
export const SOURCES = { hostPath, nfs, iscsi, fc, flexVolume } as const;

export const csiDriverName: Check<string> = (name, at, errors) => {
  if (!name) return errors.required(at);
  if (byteLength(name) > 63) errors.tooLong(at, 63);
  errors.invalidFor(at, name, dnsSubdomain(name.toLowerCase()));
};
