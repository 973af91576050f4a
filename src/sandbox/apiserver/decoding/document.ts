import { parseApiVersion } from "../../../api/mod.ts";
import { parseJson, stringifyJson } from "../../../base/mod.ts";
import { badRequest, type RequestBody, translate, unsupportedMediaType } from "../base/mod.ts";
import { decodeProtobuf, readEnvelope } from "../protobuf/mod.ts";
import { DecodeError, structOf, structOfKind } from "../schema/mod.ts";
import { type JsonShape, jsonShape } from "./json_tree.ts";
import { readYaml, YamlError } from "./yaml.ts";

/** The content of a body: a value that has no type yet. */
export interface Document {
  readonly value: unknown;
  /** The JSON text; absent for other formats. */
  readonly text?: string;
  /** Present if there is text. */
  readonly shape?: JsonShape;
  /** Duplicate keys in YAML: `line 7: key "a" already set in map`. */
  readonly yamlDuplicates: readonly string[];
}

/** A body that cannot be parsed; the message says why. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
}

/** How deep objects and lists may be nested. Upstream allows 10,000 levels, which would overflow the stack here. */
const DEEPEST = 1000;

const JSON_TYPE = "application/json";
export const YAML_TYPE = "application/yaml";
export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";

/**
 * Parses a body in one of the supported media types.
 *
 * @throws {DocumentError} If it is malformed.
 * @throws {ApiError} 415 for other media types.
 */
export function readDocument({ mediaType, bytes, text }: RequestBody): Document {
  switch (mediaType) {
    case JSON_TYPE:
      return jsonDocument(text());
    case YAML_TYPE:
      return yamlDocument(text());
    case PROTOBUF_TYPE:
      return { value: protobufValue(bytes()), yamlDuplicates: [] };
  }
  throw unsupportedMediaType([JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE]);
}

/** Whether a value is nested deeper than a body may be; patches and Protobuf can put one body into another. */
export function isTooDeep(value: unknown): boolean {
  return jsonShape(stringifyJson(value)).depth > DEEPEST;
}

/** @throws {DocumentError} If `text` is not JSON. */
export function jsonDocument(text: string): Document {
  const shape = jsonShape(text);
  if (shape.depth > DEEPEST) throw new DocumentError("exceeded max depth");
  const value = translate(() => parseJson(text), SyntaxError, (why) => new DocumentError(why));
  return { value, text, shape, yamlDuplicates: [] };
}

/** @throws {DocumentError} If `text` is not YAML. */
export function yamlDocument(text: string): Document {
  return parsed(YamlError, () => {
    const { value, duplicates } = readYaml(text);
    return { ...jsonDocument(JSON.stringify(value) ?? "null"), value, yamlDuplicates: duplicates };
  });
}

function protobufValue(bytes: Uint8Array): unknown {
  return parsed(DecodeError, () => {
    const { apiVersion, kind, raw } = readEnvelope(bytes);
    // Options may have the group version of the resource, but their type is the same everywhere.
    const struct = kind.endsWith("Options")
      ? structOf(`meta.v1.${kind}`)
      : structOfKind(parseApiVersion(apiVersion), kind);
    if (!struct) {
      throw badRequest(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
    }
    const value = decodeProtobuf(raw, struct);
    if (isTooDeep(value)) throw new DocumentError("exceeded max depth");
    return { apiVersion, kind, ...value };
  });
}

/** What `read` returns. Errors of the class `kind`, and an overflow of the stack, mean that the body is malformed. */
function parsed<T>(kind: typeof YamlError | typeof DecodeError, read: () => T): T {
  const translated = () => translate(read, kind, (why) => new DocumentError(why));
  return translate(translated, RangeError, () => new DocumentError("exceeded max depth"));
}
