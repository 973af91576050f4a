import type { KeyToPath, ProjectedVolumeSource, VolumeProjection } from "../../../../api/mod.ts";
import { type Check, type FieldErrors, fields } from "../../validation/mod.ts";
import { fileMode, volumePath } from "../shared/mod.ts";
import { downwardFile } from "./env_sources.ts";

const keyFields = fields<KeyToPath>({ key: "!", path: "!", mode: fileMode });

/** A file with the value of a key. */
export const keyToPath: Check<KeyToPath> = (item, at, errors) => {
  keyFields(item, at, errors);
  volumePath(item.path ?? "", `${at}.path`, errors);
};

/** Several sources in one volume. Upstream: validateProjectionSources. */
export const projected: Check<ProjectedVolumeSource> = ({ defaultMode, sources = [] }, at, errors) => {
  if (defaultMode !== undefined) fileMode(defaultMode, `${at}.defaultMode`, errors);
  const paths = new Set<string>();
  const add = (path: string | undefined) => {
    if (!path) return;
    if (paths.has(path)) errors.invalid(at, path, "conflicting duplicate paths");
    paths.add(path);
  };
  for (const [i, one] of (sources ?? []).entries()) {
    const path = `${at}.sources[${i}]`;
    validateSource(one, path, errors, { add, volumeAt: at });
    const kinds = Object.values(one).filter((value) => value !== undefined);
    if (kinds.length > 1) errors.forbidden(path, "may not specify more than 1 volume type per source");
  }
};

interface Volume {
  /** Records the path of a file, which must be unique. */
  add(path: string | undefined): void;
  /** The path of the volume, where some problems of its sources are reported. */
  readonly volumeAt: string;
}

function validateSource(source: VolumeProjection, at: string, errors: FieldErrors, { add, volumeAt }: Volume): void {
  for (const field of ["secret", "configMap"] as const) {
    const value = source[field];
    if (!value) continue;
    if (!value.name) errors.required(`${at}.${field}.name`);
    for (const [i, item] of (value.items ?? []).entries()) {
      keyToPath(item, `${at}.${field}.items[${i}]`, errors);
      add(item.path);
    }
  }
  for (const file of source.downwardAPI?.items ?? []) {
    downwardFile(file, `${at}.downwardAPI`, errors);
    add(file.path);
  }
  if (!source.serviceAccountToken) return;
  const { expirationSeconds = 0, path } = source.serviceAccountToken;
  if (expirationSeconds < 600 || expirationSeconds > 2 ** 32) {
    const why = "must be between 10 minutes and 2^32 seconds";
    errors.invalid(`${at}.serviceAccountToken.expirationSeconds`, expirationSeconds, why);
  }
  if (!path) errors.required(`${volumeAt}.path`);
  else volumePath(path, `${volumeAt}.path`, errors);
}
