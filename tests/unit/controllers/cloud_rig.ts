/** Nodes on an embedded API server, a cache that shows what it has when it is told to, and a cloud that does as it is told. */
import { FakeWorld } from "../../../src/base/mod.ts";
import { type Node, NODES, type ObjectReference } from "../../../src/api/mod.ts";
import { Indexer, Lister, NAMESPACE_INDEX, namespaceOf } from "../../../src/cache/mod.ts";
import type { Instances, Routes } from "../../../src/cloud/mod.ts";
import { FakeCloud } from "../cloud/fake_cloud.ts";
import { RecordedClient } from "./recorded_client.ts";

export class CloudRig {
  readonly world = new FakeWorld();
  readonly client = new RecordedClient(this.world);
  readonly cloud = new FakeCloud();
  readonly cached = new Indexer<Node>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
  readonly nodes = new Lister(this.cached);
  /** `Normal Synced n: Node synced successfully`. */
  readonly events: string[] = [];
  readonly recorder = {
    event: (object: object, type: string, reason: string, message: string) => {
      const { name, metadata } = object as ObjectReference & Node;
      this.events.push(`${type} ${reason} ${metadata?.name ?? name}: ${message}`);
    },
  };

  get instances(): Instances {
    return this.cloud.provider.instances!;
  }

  get routes(): Routes {
    return this.cloud.provider.routes!;
  }

  /** Puts nodes on the server, and into the cache. */
  add(...nodes: readonly Node[]): void {
    this.client.store(
      NODES,
      ...nodes.map(({ metadata, ...node }): Node => ({
        ...node,
        metadata: { uid: `uid-${metadata?.name}`, creationTimestamp: "2025-12-31T23:59:00Z", ...metadata },
      })),
    );
    this.show();
  }

  /** Lets the cache show what the server has. */
  show(): void {
    this.cached.replace(this.client.all(NODES), "1");
  }

  node(name: string): Node {
    return this.client.find(NODES, name)!;
  }
}
