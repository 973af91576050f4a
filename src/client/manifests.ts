import { parseAll } from "@std/yaml";
import { type KubeObject, objectKey, parseApiVersion, type Resource } from "../api/mod.ts";
import { errorText, sleep, type World } from "../base/mod.ts";
import type { Client } from "./client.ts";
import { Discovery } from "./discovery/discovery.ts";
import { NoMatchError, RestMapper } from "./discovery/rest_mapper.ts";

/** A manifest that cannot be applied. */
export class ManifestError extends Error {
  override readonly name = "ManifestError";
}

/** Owns the fields that are applied. */
const FIELD_MANAGER = "kubeloop";
const RETRY_MS = 100;

/** What was applied. */
export interface Applied {
  readonly resource: Resource;
  readonly key: string;
  /** The stored object's. */
  readonly resourceVersion: string;
}

/** YAML with any number of documents, or objects. A List stands for its items. */
export type Manifests = string | readonly (string | KubeObject)[];

/** How manifests are applied. */
export interface ApplyManifestsOptions {
  /** The namespace of objects that name none; `default` if absent. */
  readonly namespace?: string;
  /** How long to wait for the server to serve a newly defined kind; 0 if absent. */
  readonly withinMs?: number;
  /** Where the manifests came from, for error messages. */
  readonly file?: string;
}

/**
 * Creates or changes the objects in manifests by server-side apply, in order. A manifest can use kinds that an earlier
 * one defines.
 *
 * @throws {ManifestError} Names the object and the problem.
 */
export async function applyManifests(
  { world, client }: { readonly world: World; readonly client: Client },
  manifests: Manifests,
  { namespace = "default", withinMs = 0, file }: ApplyManifestsOptions = {},
): Promise<Applied[]> {
  const mapper = new RestMapper(new Discovery(client), world);
  const applied: Applied[] = [];
  for (const object of parseManifests(manifests, { file })) {
    const described = `${object.kind} ${object.metadata?.name}${
      file === undefined ? "" : ` of ${JSON.stringify(file)}`
    }`;
    try {
      const resource = await resourceOf(object, { world, mapper, withinMs });
      const placed = resource.namespaced
        ? { ...object, metadata: { ...object.metadata, namespace: object.metadata?.namespace ?? namespace } }
        : object;
      const stored = await client.apply(resource, placed, { fieldManager: FIELD_MANAGER, force: true });
      applied.push({ resource, key: objectKey(placed), resourceVersion: stored.metadata?.resourceVersion ?? "" });
      if (resource.kind === "CustomResourceDefinition") mapper.reset();
    } catch (error) {
      throw new ManifestError(`Cannot apply ${described}: ${errorText(error)}`, { cause: error });
    }
  }
  return applied;
}

/** @throws {NoMatchError} If the server does not serve the kind within the time. */
async function resourceOf(
  { apiVersion = "", kind = "" }: KubeObject,
  { world: { clock }, mapper, withinMs }: {
    readonly world: World;
    readonly mapper: RestMapper;
    readonly withinMs: number;
  },
): Promise<Resource> {
  const endMs = clock.monotonicMs() + withinMs;
  for (;;) {
    try {
      return await mapper.resourceFor({ ...parseApiVersion(apiVersion), kind });
    } catch (error) {
      if (!(error instanceof NoMatchError) || clock.monotonicMs() >= endMs) throw error;
      await sleep(clock, RETRY_MS);
      mapper.reset();
    }
  }
}

/**
 * The objects in YAML documents or lists.
 *
 * @param options.file Where the manifests came from, for error messages.
 * @throws {ManifestError} If something in them is not an object with apiVersion, kind and name.
 */
export function parseManifests(manifests: Manifests, { file }: { readonly file?: string } = {}): KubeObject[] {
  const what = file === undefined ? "the manifest" : `the manifest ${JSON.stringify(file)}`;
  const texts = typeof manifests === "string" ? [manifests] : manifests;
  const lines = typeof manifests === "string" ? firstLines(manifests) : [];
  return texts.flatMap((text) => typeof text === "string" ? parseYaml(text, what) : [text]).flatMap((value, index) => {
    const line = lines[index];
    return objectsIn(value, { what, where: `document ${index + 1}${line === undefined ? "" : ` (line ${line})`}` });
  });
}

function parseYaml(text: string, what: string): unknown[] {
  try {
    const documents = parseAll(text, { schema: "core" }) as unknown[];
    return documents.filter((document) => document !== null && document !== undefined);
  } catch (error) {
    // The lines after the first only show the position.
    const why = error instanceof RangeError ? "it is nested too deeply" : errorText(error).split("\n")[0];
    throw new ManifestError(`Cannot read ${what}: ${why.replace(/:$/, "")}`, { cause: error });
  }
}

/** The line where each document's content starts. Comments and empty documents have none. */
function firstLines(text: string): number[] {
  const found: number[] = [];
  let isInside = false;
  for (const [index, line] of text.split("\n").entries()) {
    const [marker, rest] = /^(?:---|\.\.\.)(?=\s|$)/.exec(line) ? [true, line.slice(3)] : [false, line];
    if (marker) isInside = false;
    if (isInside || /^\s*(#|$)/.test(rest) || rest.startsWith("%")) continue;
    isInside = true;
    found.push(index + 1);
  }
  return found;
}

function objectsIn(value: unknown, { what, where }: { readonly what: string; readonly where: string }): KubeObject[] {
  if (!isObject(value)) throw new ManifestError(`Cannot read ${what}: ${where} is not an object`);
  const { kind, items } = value as { kind?: string; items?: unknown };
  if (kind?.endsWith("List") && Array.isArray(items)) {
    return items.flatMap((item, index) => objectsIn(item, { what, where: `${where}, item ${index + 1}` }));
  }
  const { apiVersion, metadata } = value as KubeObject;
  const missing = [["apiVersion", apiVersion], ["kind", kind], ["metadata.name", metadata?.name]].filter(([, given]) =>
    typeof given !== "string" || given === ""
  );
  if (missing.length > 0) {
    throw new ManifestError(`Cannot read ${what}: ${where} has no ${missing.map(([field]) => field).join(" and no ")}`);
  }
  return [value as KubeObject];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
