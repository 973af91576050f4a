import type { Check } from "../../validation/mod.ts";

/** A path without `..`. */
export const noBacksteps: Check<string> = (path, at, errors) => {
  if (path.split("/").includes("..")) errors.invalid(at, path, "must not contain '..'");
};

/** A relative path without `..`. */
export const descendingPath: Check<string> = (path, at, errors) => {
  if (path.startsWith("/")) errors.invalid(at, path, "must be a relative path");
  noBacksteps(path, at, errors);
};

/** A path in a volume; names with two leading dots are reserved for the kubelet. */
export const volumePath: Check<string> = (path, at, errors) => {
  descendingPath(path, at, errors);
  if (path.startsWith("..") && !path.startsWith("../")) errors.invalid(at, path, "must not start with '..'");
};

export const fileMode: Check<number> = (mode, at, errors) => {
  if (mode > 0o777 || mode < 0) errors.invalid(at, mode, "must be between 0 and 0777 (octal)");
};
