import { parse } from "@std/yaml";
import { errorText } from "../base/mod.ts";
import type { CloudConfigFile } from "./factory.ts";
import { type ObjectSchema, readBySchema } from "./schema.ts";

/** The API version of documents in `--cloud-config`. */
const CONFIG_API_VERSION = "kubeloop.dev/v1alpha1";
/** A configuration takes a few kilobytes; an inventory of thousands of machines takes a megabyte. */
const MAX_CONFIG_LENGTH = 4 * 1024 * 1024;

/** An unusable configuration. The message is one line that names the file and the field. */
export class CloudConfigError extends Error {
  override readonly name = "CloudConfigError";

  constructor(path: string, why: string, options?: ErrorOptions) {
    super(`${path || "--cloud-config"}: ${why.replace(/\s+/g, " ")}`, options);
  }
}

/**
 * Reads a YAML or JSON document of the given kind.
 *
 * @param schema Its fields besides `apiVersion` and `kind`.
 * @throws {CloudConfigError} If it is malformed, of another kind, or has a wrong or unknown field.
 */
export function readConfigDocument(
  { path, text }: Pick<CloudConfigFile, "path" | "text">,
  { kind, schema }: { readonly kind: string; readonly schema: ObjectSchema },
): unknown {
  const said = (why: string, cause?: unknown) => new CloudConfigError(path, why, { cause });
  if (text.trim() === "") throw said(`there is no configuration: write a ${kind} of ${CONFIG_API_VERSION}`);
  if (text.length > MAX_CONFIG_LENGTH) throw said(`it has more than ${MAX_CONFIG_LENGTH} characters`);
  let value: unknown;
  try {
    value = parse(text);
  } catch (cause) {
    throw said(`not valid YAML: ${errorText(cause).split("\n")[0].replace(/:$/, "")}`, cause);
  }
  const { apiVersion, kind: found, ...rest } = typeof value === "object" && value !== null
    ? value as Record<string, unknown>
    : {};
  if (apiVersion !== CONFIG_API_VERSION || found !== kind) {
    throw said(`it must be a ${kind} of ${CONFIG_API_VERSION}, by its fields "apiVersion" and "kind"`);
  }
  try {
    return readBySchema(schema, rest, { at: "", isStrict: true });
  } catch (cause) {
    throw said(errorText(cause), cause);
  }
}
