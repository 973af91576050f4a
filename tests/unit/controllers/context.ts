import { MetricsRegistry, type World } from "../../../src/base/mod.ts";
import { groupResource, type Resource } from "../../../src/api/mod.ts";
import type { Client } from "../../../src/client/mod.ts";
import type { ControllerContext, Journal } from "../../../src/controllers/mod.ts";

/** What a controller under test is built from; what is absent it must not touch. */
export interface FakeContext {
  readonly world: World;
  readonly metrics?: MetricsRegistry;
  /** Has the verbs that the controller uses. */
  readonly client: object;
  /** Each with the resource that it is of. */
  readonly informers: readonly (readonly [Resource, object])[];
  readonly discovery?: object;
  /** Texts by the flags that name the files. */
  readonly files?: Readonly<Record<string, string>>;
  readonly journal?: Journal;
}

/** For controllers whose syncs nobody asks about. */
export const NO_JOURNAL: Journal = { record: () => {} };

/** A context in which controllers work on fakes. */
export function fakeContext(
  { world, metrics, client, informers, discovery, files = {}, journal = NO_JOURNAL }: FakeContext,
): ControllerContext {
  const byResource = new Map(informers.map(([resource, informer]) => [groupResource(resource), informer]));
  const informer = (resource: Resource): object => {
    const found = byResource.get(groupResource(resource));
    if (!found) throw new Error(`The test has no informer of ${groupResource(resource)}`);
    return found;
  };
  const context = {
    world,
    metrics: metrics ?? new MetricsRegistry(),
    clients: { client: () => client as Client },
    informers: { informer },
    discovery,
    gates: new Set<string>(),
    files: { text: (flag: string) => files[flag] },
    journal,
  };
  return context as unknown as ControllerContext; // the rest of the context is of no concern to these controllers
}
