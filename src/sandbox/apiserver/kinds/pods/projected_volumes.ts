import type { KeyToPath, ProjectedVolumeSource, VolumeProjection } from "../../../../api/mod.ts";
import { type Check, each, type FieldErrors, fields } from "../../validation/mod.ts";
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
  for (const [i, one] of (sources ?? []).entries()) {
    const path = `${at}.sources[${i}]`;
    validateSource(one, path, errors, at);
    const files = [...one.secret?.items ?? [], ...one.configMap?.items ?? [], ...one.downwardAPI?.items ?? []];
    for (const { path: file } of files) {
      if (file && paths.has(file)) errors.invalid(at, file, "conflicting duplicate paths");
      paths.add(file);
    }
    const kinds = Object.values(one).filter((value) => value !== undefined);
    if (kinds.length > 1) errors.forbidden(path, "may not specify more than 1 volume type per source");
  }
};

const keys = fields<{ name?: string; items?: KeyToPath[] }>({ name: "!", items: each(keyToPath) });
const keysOf = fields<VolumeProjection>({ secret: keys, configMap: keys });

/** Some problems are reported at the path of the volume. */
function validateSource(source: VolumeProjection, at: string, errors: FieldErrors, volumeAt: string): void {
  keysOf(source, at, errors);
  for (const file of source.downwardAPI?.items ?? []) downwardFile(file, `${at}.downwardAPI`, errors);
  if (!source.serviceAccountToken) return;
  const { expirationSeconds = 0, path } = source.serviceAccountToken;
  if (expirationSeconds < 600 || expirationSeconds > 2 ** 32) {
    const why = "must be between 10 minutes and 2^32 seconds";
    errors.invalid(`${at}.serviceAccountToken.expirationSeconds`, expirationSeconds, why);
  }
  if (!path) errors.required(`${volumeAt}.path`);
  else volumePath(path, `${volumeAt}.path`, errors);
}
