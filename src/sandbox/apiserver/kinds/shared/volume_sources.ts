import type {
  FlexVolumeSource,
  HostPathVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
} from "../../../../api/mod.ts";
import { byteLength, type Check, dnsSubdomain, type FieldErrors, fields, required } from "../../validation/mod.ts";
import { noBacksteps } from "./paths.ts";

export type VolumeSources<T> = { readonly [K in keyof T]?: Check<NonNullable<T[K]>> };

/**
 * Exactly one source must be set; not all have a check of their own. Every field that is not in `others` is a source.
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
    if (found) errors.forbidden(`${at}.${field}`, "may not have more than one volume type");
    else sources[field]?.(value, `${at}.${field}`, errors);
    found = true;
  };
  for (const field in sources) look(field);
  for (const field in volume) if (!others.has(field) && !(field in sources)) look(field);
  if (!found) errors.required(at, "must specify a volume type");
}

const hostPath = fields<HostPathVolumeSource>(
  { path: required(noBacksteps), type: "one" },
  "core.v1.HostPathVolumeSource",
);

const nfs: Check<NFSVolumeSource> = ({ server, path = "" }, at, errors) => {
  if (!server) errors.required(`${at}.server`);
  if (!path) errors.required(`${at}.path`);
  if (!path.startsWith("/")) errors.invalid(`${at}.path`, path, "must be an absolute path");
};

const iscsi = fields<Pick<ISCSIVolumeSource, "targetPortal" | "iqn">>({ targetPortal: "!", iqn: "!" });
const flexVolume = fields<Pick<FlexVolumeSource, "driver">>({ driver: "!" });

/** Sources of both pods' and persistent volumes. */
export const SOURCES = { hostPath, nfs, iscsi, flexVolume } as const;

export const csiDriverName: Check<string> = (name, at, errors) => {
  if (!name) return errors.required(at);
  if (byteLength(name) > 63) errors.tooLong(at, 63);
  errors.invalidFor(at, name, dnsSubdomain(name.toLowerCase()));
};
