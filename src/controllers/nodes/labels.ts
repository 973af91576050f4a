import { type Node, NODES } from "../../api/mod.ts";
import type { Client } from "../../client/mod.ts";
import { refOf } from "../running/mod.ts";

/** Values of labels by their keys. */
export type Labels = Readonly<Record<string, string>>;

/**
 * The labels that a node lacks, or that differ from the labels they copy.
 *
 * @param copies Pairs of keys: a label, and the one that must have the same value.
 * @returns `undefined` if there are none.
 */
export function missingCopies(
  { metadata }: Node,
  copies: readonly (readonly [from: string, to: string])[],
): Labels | undefined {
  const labels = metadata?.labels ?? {};
  const missing = copies.filter(([from, to]) => labels[from] !== undefined && labels[to] !== labels[from]);
  return missing.length > 0 ? Object.fromEntries(missing.map(([from, to]) => [to, labels[from]])) : undefined;
}

/** Sets labels of a node and leaves its others alone. @throws {StatusError} */
export async function writeLabels(
  node: Node,
  labels: Labels,
  { client }: { readonly client: Pick<Client, "patch"> },
): Promise<void> {
  await client.patch(NODES, refOf(node), { type: "strategic", body: { metadata: { labels } } });
}
