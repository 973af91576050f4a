import type { World } from "../../base/mod.ts";
import { type Client, Discovery } from "../../client/mod.ts";
import { ClusterReader } from "./cluster_reader.ts";
import type { Explanation } from "./finding.ts";
import { observe } from "./gather.ts";
import { Kinds } from "./kinds.ts";
import { explainFacts } from "./reason.ts";
import type { Target } from "./target.ts";

/** There is no such kind or object. The message is for the user. */
export class ExplainError extends Error {
  override readonly name = "ExplainError";
}

/** A question to a cluster. */
export interface ExplainOptions {
  readonly world: World;
  readonly client: Client;
  readonly target: Target;
  /** For namespaced kinds. */
  readonly namespace: string;
  readonly signal?: AbortSignal;
}

/**
 * Explains what blocks an object's deletion, or would block it.
 *
 * @throws {ExplainError} If the server has no such kind, or no such object.
 * @throws {StatusError | ConnectionError} If the object or discovery cannot be read.
 */
export async function explain({ world, client, target, namespace, signal }: ExplainOptions): Promise<Explanation> {
  const kinds = new Kinds(await new Discovery(client).discover(signal));
  const resource = kinds.find(target.type);
  if (!resource) throw new ExplainError(noSuchType(target.type, kinds));
  const reader = new ClusterReader(client, signal);
  const object = await client.get(resource, { namespace, name: target.name }, { signal });
  const observation = await observe({ resource, object }, { world, reader, kinds });
  return explainFacts(observation, world.clock.wallMs());
}

function noSuchType(type: string, { failures }: Kinds): string {
  const unseen = [...failures.keys()].sort();
  const hint = unseen.length > 0 ? `, as far as can be seen without ${unseen.join(", ")}, which cannot be asked` : "";
  return `the server doesn't have a resource type ${JSON.stringify(type)}${hint}`;
}
