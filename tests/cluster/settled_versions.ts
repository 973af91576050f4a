import { objectKey, type Resource } from "../../src/api/mod.ts";
import { eventually } from "../controlplane/process.ts";
import type { Cluster } from "./cluster.ts";

/** The versions of all objects of these resources, by `namespace/name plural`, once none was written for three seconds. */
export async function settledVersions(
  { client }: Cluster,
  ...resources: readonly Resource[]
): Promise<ReadonlyMap<string, string>> {
  const plurals = resources.map(({ plural }) => plural);
  let last = "";
  let same = 0;
  return await eventually(`none of the ${plurals.join(" and ")} was written for 3 s`, async () => {
    const lists = await Promise.all(resources.map((resource) => client.listMetadata(resource)));
    const versions = lists.flatMap(({ items }, i) =>
      items.map((item) => [`${objectKey(item)} ${plurals[i]}`, item.metadata!.resourceVersion!] as const)
    );
    same = String(versions) === last ? same + 1 : 0;
    last = String(versions);
    return same === 3 && new Map(versions);
  }, { everyMs: 1_000 });
}
