/** Nodes that join the embedded server with bootstrap tokens, as machines join a cluster. */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { CERTIFICATESIGNINGREQUESTS, CLUSTERROLEBINDINGS, NODES, SECRETS } from "../../src/api/mod.ts";
import { FakeWorld } from "../../src/base/mod.ts";
import type { Client } from "../../src/client/mod.ts";
import { LocalCluster } from "../../src/embedded/mod.ts";
import { NodeJoins } from "../../src/embedded/node_joins.ts";
import { type ApiServer, CertificateAuthority, createApiServer } from "../../src/sandbox/mod.ts";

/** A cluster of two nodes whose API server lets nobody do what RBAC does not allow. */
class Joining implements AsyncDisposable {
  readonly world = new FakeWorld();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #close: () => void = () => {};
  client!: Client;
  apiServer!: ApiServer;
  authority!: string;

  static async start(controllers = "*"): Promise<Joining> {
    const joining = new Joining();
    const { world } = joining;
    const authority = await CertificateAuthority.of(world);
    const apiServer = createApiServer({
      world,
      authentication: "required",
      authorization: "RBAC",
      clientCertificateAuthority: authority.cert,
    });
    const cluster = new LocalCluster({
      world,
      apiServer,
      flags: [`--controllers=${controllers}`],
      files: { "cluster-signing-cert-file": authority.cert, "cluster-signing-key-file": authority.pair.key },
      clientAuthority: authority.cert,
      nodes: { nodeCount: 2 },
    });
    Object.assign(joining, { client: cluster.client("test"), apiServer, authority: authority.cert });
    joining.#running = cluster.run(joining.#stop.signal);
    joining.#close = () => apiServer.close();
    return joining;
  }

  /** Lets time pass until `holds`: keys and signatures take real time. */
  async until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (let i = 0; i < 600; i++) {
      if (await holds()) return;
      await this.world.clock.advance(200);
    }
    throw new Error(`Not within two minutes of virtual time: ${what}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.world.clock.advance(60_000);
    await this.#running;
    this.#close();
  }
}

Deno.test("NodeJoins: the token is made when the first node joins, and lasts a day; nodes are known by their certificates", async () => {
  await using joining = await Joining.start();
  const { client, world } = joining;
  await joining.until("both nodes have joined", async () => (await client.list(NODES)).items.length === 2);
  const { items } = await client.list(CERTIFICATESIGNINGREQUESTS);
  assertEquals(items.map(({ spec }) => [spec.username, spec.signerName]), [
    ["system:bootstrap:joined", "kubernetes.io/kube-apiserver-client-kubelet"],
    ["system:bootstrap:joined", "kubernetes.io/kube-apiserver-client-kubelet"],
  ]);
  assert(items.every(({ status }) => status?.certificate));
  const { data } = await client.get(SECRETS, { namespace: "kube-system", name: "bootstrap-token-joined" });
  const leftMs = Date.parse(atob(data!.expiration)) - world.clock.wallMs();
  assert(leftMs > 23 * 3_600_000 && leftMs <= 24 * 3_600_000, String(leftMs));
  // Without the right of nodes to say how they are, they cannot.
  await client.delete(CLUSTERROLEBINDINGS, { name: "kubeloop:nodes" });
  const { metadata } = await client.get(NODES, { name: "node-0" });
  await world.clock.advance(400_000);
  const later = await client.get(NODES, { name: "node-0" });
  const written = (node: typeof later) => node.status?.conditions?.find(({ type }) => type === "Ready");
  assertEquals([metadata?.uid, written(later)?.status], [later.metadata?.uid, "Unknown"]);
});

Deno.test("LocalCluster trusts nodes as they are where nobody would approve their requests", async () => {
  await using joining = await Joining.start("*,-certificatesigningrequest-approving-controller");
  const { client } = joining;
  await joining.until("both nodes are there", async () => (await client.list(NODES)).items.length === 2);
  assertEquals((await client.list(CERTIFICATESIGNINGREQUESTS)).items, []);
});

Deno.test("NodeJoins: a node that is refused a certificate says why", async () => {
  await using joining = await Joining.start("");
  const { client, world, apiServer, authority } = joining;
  const joins = new NodeJoins({ world, apiServer, server: "http://127.0.0.1", authority, admin: client });
  const stop = new AbortController();
  const refused = assertRejects(
    () => joins.join("node-7", stop.signal),
    Error,
    'Node "node-7" cannot join: request node-csr-',
  );
  await joining.until("it has asked", async () => (await client.list(CERTIFICATESIGNINGREQUESTS)).items.length === 1);
  const [request] = (await client.list(CERTIFICATESIGNINGREQUESTS)).items;
  const status = { conditions: [{ type: "Denied", status: "True", reason: "Unknown", message: "nobody knows it" }] };
  await client.update(CERTIFICATESIGNINGREQUESTS, { ...request, status }, { subresource: "approval" });
  let isOver = false;
  const error = await Promise.all([
    refused.finally(() => isOver = true),
    joining.until("it is refused", () => Promise.resolve(isOver)),
  ]);
  assertMatch(error[0].message, /is Denied: Unknown: nobody knows it$/);
});
