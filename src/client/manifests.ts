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

/** The name under which what is applied belongs to us. */
const FIELD_MANAGER = "kubeloop";
const RETRY_MS = 100;

/** What was applied. */
export interface Applied {
  readonly resource: Resource;
  readonly key: string;
  /** Of the object as it was stored. */
  readonly resourceVersion: string;
}

/** YAML of any number of documents, or objects; a List is what it holds. */
export type Manifests = string | readonly (string | KubeObject)[];

/** How manifests are applied. */
export interface ApplyManifestsOptions {
  /** For objects that name none; `default` if absent. */
  readonly namespace?: string;
  /** How long a server may take to serve a kind that was just defined; 0 if absent. */
  readonly withinMs?: number;
  /** Named in errors: where the manifests were read from. */
  readonly file?: string;
}

/**
 * Creates or changes the objects of manifests by server-side apply, in their order. Kinds that an earlier manifest defines can
 * be used by a later one.
 *
 * @throws {ManifestError} Naming the object and what is wrong with it.
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
 * @param options.file Named in errors: where the manifests were read from.
 * @throws {ManifestError} If something in there is no object with apiVersion, kind and name.
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
    // What follows the first line is a drawing of where it is.
    const why = error instanceof RangeError ? "it is nested too deeply" : errorText(error).split("\n")[0];
    throw new ManifestError(`Cannot read ${what}: ${why.replace(/:$/, "")}`, { cause: error });
  }
}

/** On which line the first content of each document stands; comments and empty documents have none. */
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
