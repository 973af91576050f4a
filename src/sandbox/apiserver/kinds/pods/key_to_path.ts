import type { KeyToPath } from "../../../../api/mod.ts";
import type { Check } from "../../validation/mod.ts";
import { fileMode, volumePath } from "../shared/mod.ts";

/** A file made of a key's value. */
export const keyToPath: Check<KeyToPath> = ({ key, path = "", mode }, at, errors) => {
  if (!key) errors.required(`${at}.key`);
  if (!path) errors.required(`${at}.path`);
  volumePath(path, `${at}.path`, errors);
  if (mode !== undefined) fileMode(mode, `${at}.mode`, errors);
};
