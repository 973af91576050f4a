import { parseAll } from "@std/yaml";
import { type KubeObject, objectKey, parseApiVersion, type Resource } from "../api/mod.ts";
import { sleep, type World } from "../base/mod.ts";
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
}

/**
 * Creates or changes the objects of manifests by server-side apply, in their order. Kinds that an earlier manifest defines can
 * be used by a later one.
 *
 * @param manifests YAML of any number of documents, or objects; a List is what it holds.
 * @param options.namespace For objects that name none; `default` if absent.
 * @param options.withinMs How long a server may take to serve a kind that was just defined; 0 if absent.
 * @throws {ManifestError} Naming the object and what is wrong with it.
 */
export async function applyManifests(
  { world, client }: { readonly world: World; readonly client: Client },
  manifests: string | readonly KubeObject[],
  { namespace = "default", withinMs = 0 }: { readonly namespace?: string; readonly withinMs?: number } = {},
): Promise<Applied[]> {
  const mapper = new RestMapper(new Discovery(client), world);
  const applied: Applied[] = [];
  for (const object of parseManifests(manifests)) {
    const described = `${object.kind} ${object.metadata?.name}`;
    try {
      const resource = await resourceOf(object, { world, mapper, withinMs });
      const placed = resource.namespaced
        ? { ...object, metadata: { ...object.metadata, namespace: object.metadata?.namespace ?? namespace } }
        : object;
      await client.apply(resource, placed, { fieldManager: FIELD_MANAGER, force: true });
      applied.push({ resource, key: objectKey(placed) });
      if (resource.kind === "CustomResourceDefinition") mapper.reset();
    } catch (error) {
      throw new ManifestError(`Cannot apply ${described}: ${(error as Error).message}`, { cause: error });
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
 * @throws {ManifestError} If something in there is no object with apiVersion, kind and name.
 */
export function parseManifests(manifests: string | readonly KubeObject[]): KubeObject[] {
  const documents = typeof manifests === "string" ? parseYaml(manifests) : manifests;
  return documents.flatMap((document, index) => objectsIn(document, `document ${index + 1}`));
}

function parseYaml(text: string): unknown[] {
  try {
    const documents = parseAll(text, { schema: "core" }) as unknown[];
    return documents.filter((document) => document !== null && document !== undefined);
  } catch (error) {
    // What follows the first line is a drawing of where it is.
    const [why] = (error as Error).message.split("\n");
    throw new ManifestError(`Cannot read the manifest: ${why}`, { cause: error });
  }
}

function objectsIn(value: unknown, where: string): KubeObject[] {
  if (!isObject(value)) throw new ManifestError(`Cannot read the manifest: ${where} is not an object`);
  const { kind, items } = value as { kind?: string; items?: unknown };
  if (kind?.endsWith("List") && Array.isArray(items)) {
    return items.flatMap((item, index) => objectsIn(item, `${where}, item ${index + 1}`));
  }
  const { apiVersion, metadata } = value as KubeObject;
  const missing = [["apiVersion", apiVersion], ["kind", kind], ["metadata.name", metadata?.name]].filter(([, given]) =>
    typeof given !== "string" || given === ""
  );
  if (missing.length > 0) {
    throw new ManifestError(
      `Cannot read the manifest: ${where} has no ${missing.map(([field]) => field).join(" and no ")}`,
    );
  }
  return [value as KubeObject];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
