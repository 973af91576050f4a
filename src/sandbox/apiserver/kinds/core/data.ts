/** Data for pods: ConfigMaps and Secrets. */
import { encodeBase64 } from "@std/encoding/base64";
import type { ConfigMap, Secret } from "../../../../api/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import { attempt } from "../../base/mod.ts";
import { DocumentError, jsonDocument } from "../../decoding/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import { byteLength, configMapKey, type FieldErrors } from "../../validation/mod.ts";

const LARGEST_BYTES = 1024 * 1024;

type Texts = Record<string, string>;
type Contents = Pick<ConfigMap, "immutable" | "data" | "binaryData">;

/** The number of bytes that a base64 text encodes. */
function decodedLength(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return text.length / 4 * 3 - padding;
}

/** For Secrets as well, which have no `binaryData`. */
function validateStillMutable(object: Contents, old: Contents, errors: FieldErrors): void {
  if (!old.immutable) return;
  const why = "field is immutable when `immutable` is set";
  if (!object.immutable) errors.forbidden("immutable", why);
  for (const field of ["data", "binaryData"] as const) {
    if (!deepEqual(object[field], old[field])) errors.forbidden(field, why);
  }
}

export const configMaps: Traits<ConfigMap> = {
  validate({ data = {}, binaryData = {} }, errors) {
    let sizeBytes = 0;
    for (const [key, value] of Object.entries(data)) {
      errors.invalidFor(`data[${key}]`, key, configMapKey(key));
      if (Object.hasOwn(binaryData, key)) errors.invalid(`data[${key}]`, key, "duplicate of key present in binaryData");
      sizeBytes += byteLength(value);
    }
    for (const [key, value] of Object.entries(binaryData)) {
      errors.invalidFor(`binaryData[${key}]`, key, configMapKey(key));
      sizeBytes += decodedLength(value);
    }
    if (sizeBytes > LARGEST_BYTES) errors.tooLong("", LARGEST_BYTES);
  },
  validateUpdate: validateStillMutable,
};

function isJsonObject(base64: string): boolean {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const document = attempt(() => jsonDocument(new TextDecoder().decode(bytes)), DocumentError);
  return typeof document?.value === "object" && !Array.isArray(document.value);
}

function validateDockerConfig(data: Texts, key: string, errors: FieldErrors): void {
  const at = `data[${key}]`;
  if (!(key in data)) return errors.required(at);
  if (!isJsonObject(data[key])) errors.invalid(at, "<secret contents redacted>", "must be a JSON object");
}

const NAME = "kubernetes.io/service-account.name";

/** The required content of each type of Secret. */
const TYPE_RULES: Readonly<Record<string, (secret: Secret, data: Texts, errors: FieldErrors) => void>> = {
  "kubernetes.io/service-account-token"({ metadata }, _data, errors) {
    if (!metadata?.annotations?.[NAME]) errors.required(`metadata.annotations[${NAME}]`);
  },
  "kubernetes.io/dockercfg": (_secret, data, errors) => validateDockerConfig(data, ".dockercfg", errors),
  "kubernetes.io/dockerconfigjson": (_secret, data, errors) => validateDockerConfig(data, ".dockerconfigjson", errors),
  "kubernetes.io/basic-auth"(_secret, data, errors) {
    const keys = ["username", "password"];
    if (!keys.some((key) => key in data)) { for (const key of keys) errors.required(`data[${key}]`); }
  },
  "kubernetes.io/ssh-auth"(_secret, data, errors) {
    if (!data["ssh-privatekey"]) errors.required("data[ssh-privatekey]");
  },
  "kubernetes.io/tls"(_secret, data, errors) {
    for (const key of ["tls.crt", "tls.key"]) if (!(key in data)) errors.required(`data[${key}]`);
  },
};

function hasPem(base64: string | undefined): boolean {
  return /-----BEGIN [^\n]*-----/.test(atob(base64 ?? ""));
}

export const secrets: Traits<Secret> = {
  defaults(secret) {
    secret.type ||= "Opaque";
    const { stringData } = secret;
    if (!stringData) return;
    const encoded = Object.entries(stringData).map(([key, value]) => [key, encodeBase64(value)]);
    if (encoded.length > 0) secret.data = { ...secret.data, ...Object.fromEntries(encoded) };
    delete secret.stringData;
  },
  validate(secret, errors) {
    const { data = {}, type = "" } = secret;
    let sizeBytes = 0;
    for (const [key, value] of Object.entries(data)) {
      errors.invalidFor(`data[${key}]`, key, configMapKey(key));
      sizeBytes += decodedLength(value);
    }
    if (sizeBytes > LARGEST_BYTES) errors.tooLong("data", LARGEST_BYTES);
    if (Object.hasOwn(TYPE_RULES, type)) TYPE_RULES[type](secret, data, errors);
  },
  immutable: ["type"],
  validateUpdate: validateStillMutable,
  /** Upstream also warns if certificate and key do not match. */
  warnings({ type, data = {} }) {
    if (type !== "kubernetes.io/tls") return [];
    const missing = hasPem(data["tls.crt"]) ? hasPem(data["tls.key"]) ? undefined : "key" : "certificate";
    return missing ? [`tls: failed to find any PEM data in ${missing} input`] : [];
  },
};
