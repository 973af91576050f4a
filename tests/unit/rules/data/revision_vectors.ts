import { parseJson } from "../../../../src/base/mod.ts";
import type { PodTemplateSpec } from "../../../../src/api/mod.ts";

/** A template with the data and the hashes of its revision, as upstream makes them. */
export interface RevisionVector {
  readonly name: string;
  readonly template: PodTemplateSpec;
  readonly data: string;
  /** By collision count, which is empty where there is none. */
  readonly statefulSetHash: Readonly<Record<string, string>>;
}

/** All of them. */
export async function revisionVectors(): Promise<readonly RevisionVector[]> {
  const text = await Deno.readTextFile(new URL("controller_revision_vectors.json", import.meta.url));
  return (parseJson(text) as { readonly vectors: readonly RevisionVector[] }).vectors;
}
