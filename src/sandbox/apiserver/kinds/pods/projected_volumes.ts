import type { ProjectedVolumeSource, ServiceAccountTokenProjection, VolumeProjection } from "../../../../api/mod.ts";
import type { Check, FieldErrors } from "../../validation/mod.ts";
import { downwardFile } from "./env_sources.ts";
import { fileMode, UniquePaths, volumePath } from "../shared/mod.ts";
import { keyToPath } from "./key_to_path.ts";

/** Several sources in one volume. Upstream: validateProjectionSources. */
export const projected: Check<ProjectedVolumeSource> = ({ defaultMode, sources = [] }, at, errors) => {
  if (defaultMode !== undefined) fileMode(defaultMode, `${at}.defaultMode`, errors);
  const paths = new UniquePaths();
  for (const [i, one] of (sources ?? []).entries()) {
    const path = `${at}.sources[${i}]`;
    validateSource(one, path, errors, { paths, volumeAt: at });
    const kinds = Object.values(one).filter((value) => value !== undefined);
    if (kinds.length > 1) errors.forbidden(path, "may not specify more than 1 volume type per source");
  }
};

interface Shared {
  readonly paths: UniquePaths;
  /** The path of the volume, at which some problems of its sources are reported. */
  readonly volumeAt: string;
}

function validateSource(source: VolumeProjection, at: string, errors: FieldErrors, shared: Shared): void {
  const { paths, volumeAt } = shared;
  for (const field of ["secret", "configMap"] as const) {
    const value = source[field];
    if (!value) continue;
    if (!value.name) errors.required(`${at}.${field}.name`);
    for (const [i, item] of (value.items ?? []).entries()) {
      keyToPath(item, `${at}.${field}.items[${i}]`, errors);
      paths.add(item.path, volumeAt, errors, value.name ?? "");
    }
  }
  for (const file of source.downwardAPI?.items ?? []) {
    downwardFile(file, `${at}.downwardAPI`, errors);
    paths.add(file.path, volumeAt, errors);
  }
  if (source.serviceAccountToken) {
    validateToken(source.serviceAccountToken, `${at}.serviceAccountToken`, errors, volumeAt);
  }
}

function validateToken(
  { expirationSeconds = 0, path }: ServiceAccountTokenProjection,
  at: string,
  errors: FieldErrors,
  volumeAt: string,
): void {
  const field = `${at}.expirationSeconds`;
  if (expirationSeconds < 600) {
    errors.invalid(field, expirationSeconds, "may not specify a duration less than 10 minutes");
  }
  if (expirationSeconds > 2 ** 32) {
    errors.invalid(field, expirationSeconds, "may not specify a duration larger than 2^32 seconds");
  }
  if (!path) errors.required(`${volumeAt}.path`);
  else volumePath(path, `${volumeAt}.path`, errors);
}
